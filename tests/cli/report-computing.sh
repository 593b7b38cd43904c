# Where all calls are counted in place, times have parts: computing, waiting and ready. Functions are sorted by computing.
make_profile data flags=512 command="./server" <<"END"
main 1 10000000 200000 100000
  serve 100 600000000 519000000 1200000
    parse 1000 20000000 0 0
  idle 1 50000000 50000000 0
END
pcomp report -v data
pcomp report data --view tree --times compensated
for key in computing waiting ready exclusive; do
    pcomp report data --sort $key --times compensated | sed -n "s/.* \\(main\\|serve\\|parse\\|idle\\)$/$key: \\1/p"
done
pcomp report data --format json | sed -n "s/.*\\(\"total\".*\\), \"calibration.*/\\1/p"
pcomp report data --format json | sed -n "s/.*\\(\"name\": \"[a-z]*\"\\), \"linkage.*\\(\"share\": [0-9.]*\\), .*\\(\"computing\".*\"ready\": {[^}]*}\\).*/\\1 \\2 \\3/p"
# computing, waiting and ready add up to the compensated time
for view in flat tree; do
    pcomp report data --view $view --format csv 2>/dev/null | awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        {
            split("inclusive exclusive", part, " ")
            for (k = 1; k <= 2; k++) {
                end = part[k] "_ns"
                sum = $column["computing_" end] + $column["waiting_" end] + $column["ready_" end]
                if ($column["compensated_" end] != sum)
                    print "'$view'", $column["name"], end, "does not add up"
            }
        }
        END { print "'$view'", NR - 1, "rows" }'
done
# less than a hundredth: no columns, no line
make_profile less flags=512 command="./server" <<"END"
main 1 10000000 50000 40000
END
pcomp report less
# other engines do not tell; old keys stay as they are
make_profile other command="./server" <<"END"
main 1 10000000
END
pcomp report other --format json | grep -c "waiting\|computing"
pcomp report other -q --sort waiting --times compensated | tail -1
