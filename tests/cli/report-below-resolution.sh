short() { sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'; }
make_profile data spread=2 <<END
main 1 1000000
  tiny 1000000 1000
  over 1000000 -3000000
END
pcomp report -v data
pcomp report data --format csv | columns name compensated_exclusive_ns uncertainty_exclusive_ns max_ns exact | short
