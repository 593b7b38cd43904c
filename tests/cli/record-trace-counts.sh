# A trace counts what is called often: with --counts exact no call is missing, rare functions are whole, and all say so;
# --trace-all has all.
pcomp record --trace --counts exact -- budget_load 2>&1 | grep -o done
functions() {
    pcomp report "$1" --format json 2>/dev/null |
        sed -n 's/.*{"name": "\([a-z]*\)".*"N": \([0-9]*\).*"held": \([0-9]\).*"exact": \([a-z]*\).*/\1 N \2 held \3 exact \4/p' | sort
}
pcomp info 2>/dev/null | grep '^mode'
pcomp replay pcomp.data -o unmeasured 2>/dev/null | grep -o 'calls were counted in place and not recorded'
functions unmeasured
pcomp report unmeasured 2>/dev/null | grep -c '~  hot'
pcomp export pcomp.data --format chrome -o chrome.json 2>/dev/null && check_chrome chrome.json >/dev/null && echo "exported"
# All events are 740 MiB; how many there are until the hot function is counted differs from run to run.
for data in pcomp.data again once-more; do
    [ -d $data ] || pcomp record --trace --counts exact -o $data -- budget_load >/dev/null 2>&1
    [ "$(find $data -name '*.trace' -size -4097k)" ] && echo "small" && break
done
for all in brief brief-again brief-once-more; do
    pcomp record --trace --counts exact -o $all.data -- budget_load 20 >/dev/null 2>&1
    pcomp replay $all.data -o $all >/dev/null 2>&1
    functions $all | grep -q 'hot.* held 7' && break
done
functions $all
# Under a limit N of the hot function is estimated, and what is rare is as it was.
pcomp record --trace --budget 2% -o limited.data -- budget_load >/dev/null 2>&1
pcomp replay limited.data -o limited 2>/dev/null | grep -o 'of the hottest functions in windows alone'
pcomp report limited --format json 2>/dev/null | grep '"name": "hot"' | grep -c '"calls_uncertainty": [1-9]'
functions limited | grep -v '^hot'
# Of 24 million calls some 3 are counted, in windows.
for data in limited limited-again limited-once-more; do
    [ -d $data ] || { pcomp record --trace --budget 2% -o $data.data -- budget_load; pcomp replay $data.data -o $data; } >/dev/null 2>&1
    near=$(pcomp report $data --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == "hot" { n = $(at["N"]); print (20e6 < n && n < 28e6) }')
    [ "$near" = 1 ] && echo "near 24 million" && break
done
pcomp report limited -v 2>/dev/null | grep -o 'too hot for the limit of 2 %'
pcomp record --trace --trace-all -o whole -- budget_load 20 >/dev/null 2>&1
pcomp replay whole -o all-of-it >/dev/null 2>&1
functions all-of-it
pcomp record --trace-all -- budget_load 2>&1
echo $?
