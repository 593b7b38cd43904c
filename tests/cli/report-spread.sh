short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  serve 1000 40000000
    next 2000000 6000000
  sum 10 12000000
  unknown 5 500000
times serve 1000 700
times serve 1200 200
times serve 300000 85
times serve 9000000 15
times next 2 1900000
times next -3 90000
times next 40000 10000
times sum 1200000 9
times sum 1300000 1
END
pcomp report data --view spread
pcomp report data --view spread --limit 2
LC_ALL=C pcomp report data --view spread | sed -n '4,6p'
pcomp report data --view spread --format csv | short
pcomp report data --view spread --format json | short
pcomp report data --view spread --model none
# they are where min and max are
pcomp report data --format csv | columns name percentiles_50_ns percentiles_90_ns percentiles_99_ns
pcomp report data --view tree --format json | grep -o '"name": "[a-z]*"\|"percentiles": {[^}]*}' | short
