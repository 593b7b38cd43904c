# a profile whose calibration was fitted says so, in all formats
short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data flags=32 own=3 descendant=8 spread=0.5 fitted='./shop --fast, 5 runs' command='./shop --fast' <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
  sum 10 12000000
  sort 1 500000
    compare 300000 900000
END
pcomp report -v data
pcomp report -v data --model none --limit 1
pcomp report data --format json | grep -o '"mode.*"unit\|"how.*"command\|"min": [0-9]*, "max": [0-9]*' | short
pcomp compare data --limit 2 | head -4
pcomp diff data data --limit 1 | head -4
pcomp export data --format callgrind -o - | grep How
pcomp export data --format speedscope -o - | grep -o '"comment.*' | short
pcomp info data | head -6
pcomp info data --format json | grep -o '"mode.*"calls'
