# A program with sleds and without hook calls, too, is known by its functions alone.
pcomp predict --format csv -- mapped | cut -d, -f 1
