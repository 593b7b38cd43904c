# Text in the character set of the locale; JSON and CSV are UTF-8 in any.
make_profile data spread=0.5 command="./shop µ" <<"END"
main 1 1000
  漢字 3 2000000
END
LC_ALL=C pcomp report data
LC_ALL=C pcomp report data --format csv | cut -d, -f1 | tail -n 2
LC_ALL=C pcomp report '±'
LC_ALL=C pcomp compare data | tail -n 8
pcomp report -q data | tail -n 4 # wide characters take two columns
