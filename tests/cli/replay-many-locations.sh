# More locations than a process may have files open.
awk 'BEGIN { for (i = 0; i < 300; i++) {
        printf "location t%d pid=1000\n%d enter main\nrepeat 40 20\n", i, 1000 + i
        print "1500 enter step\n1510 exit step\nend\n9000 exit main" } }' | make_trace data
ulimit -n 40
pcomp replay data -o replayed --model time --format json | grep -o '"locations": [0-9]*, "events": [0-9]*'
pcomp report data --format csv 2>/dev/null | cut -d, -f1,2 | head -3
pcomp report replayed --format csv 2>/dev/null | wc -l
pcomp timeline data -o picture.svg && test -s picture.svg && echo drawn
pcomp export data --format chrome -o chrome.json && check_chrome chrome.json | head -1
pcomp info data 2>&1 | grep -c 'Too many'
exit 0
