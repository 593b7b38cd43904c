# What a trace has no room for is counted: no call is missing, rare functions are whole, and all say so.
pcomp record --trace --budget-trace 1M -- budget_load 2>&1 | grep -o 'done\|calls only counted: '
functions() {
    pcomp report "$1" --format json 2>/dev/null |
        sed -n 's/.*{"name": "\([a-z]*\)".*"N": \([0-9]*\).*"held": \([0-9]\).*"exact": \([a-z]*\).*/\1 N \2 held \3 exact \4/p' | sort
}
functions pcomp.data
pcomp report -v 2>/dev/null | grep -o '^budget 1.0 MiB of trace a second\|~  hot\|^~  .*\|^note: .* 1 function were'  | sed 's/[0-9]\{1,3\}\(,[0-9]\{3\}\)\{2,\}/MANY/'
pcomp info 2>/dev/null | grep -o '^budget 1.0 MiB of trace a second\|calls of functions that are called most'
pcomp info --format json | grep -o '"bytes_per_second": [0-9]*\|"violations": [0-9]*\|"held_calls": [0-9]\|"cause": [a-z]*'
pcomp replay pcomp.data -o unmeasured --format json 2>/dev/null | grep -o '"violations": [0-9]*\|"held_calls": [0-9]'
functions unmeasured
pcomp report unmeasured 2>/dev/null | grep -c '~  hot'
pcomp export pcomp.data --format chrome -o chrome.json 2>/dev/null && check_chrome chrome.json >/dev/null && echo "exported"
