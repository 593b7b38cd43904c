short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 12000000
  sort 1 500000
    compare 300000 900000
END
pcomp report data --format csv | short
pcomp report data --view tree --format csv | short
pcomp report data --view callers --format csv | short
pcomp report data --format json | short
pcomp report data --view tree --format json | short
pcomp report data --view callers --format json | short
