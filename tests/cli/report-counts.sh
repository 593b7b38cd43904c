# Every call is counted in place, rare functions are timed: N is exact, a function that was only counted has no times,
# and exclusive times with what counting cost still add up to the total.
make_profile data flags=512 price=0.5 falls=2 command="./tool in" <<"END"
main 1 10000000
  load 3 2000000
    parse 500 100000
  step 400 40000
count parse 1999500 live counted
count step 99600 live counted
count step 7 common counted
count hidden 0 live off
count never 12 after timed
END
pcomp report -v data
pcomp report data --sort calls --times compensated | sed -n "/calls *function/,\$p" | head -6
pcomp report data --view tree --times compensated
pcomp report data --view callers --times compensated | sed -n "/calls *function/,\$p"
pcomp report data --format json >flat.json
sed -n "/\"total\"/p;/\"total_all_threads\"/p;/\"counting\"/p;/\"mode\"/p" flat.json
grep '"name": "\(parse\|step\|load\|hidden\|never\|\[.*\)"' flat.json | sed 's/"linkage_name.*"module": null, //; s/, "min": .*"resolved"/, "resolved"/; s/, "calls": .*//'
# the flat rows, and the rows of the tree, add up
for view in flat tree; do
    pcomp report data --view $view --format csv 2>/dev/null | awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { raw += $column["raw_exclusive_ns"]; compensated += $column["compensated_exclusive_ns"] }
        END { printf "'$view': %d raw, %d compensated\n", raw, compensated }'
done
pcomp report -v data --view cost
pcomp info data | sed -n 3,9p
pcomp info data --format json | grep -A 13 '"counting"'
# nothing is taken off: what counting cost is not, either
pcomp report -v data --model none --times compensated | sed -n "3p;/counted\|counting/p"
