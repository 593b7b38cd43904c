# A full disk leaves empty files: what is whole is read, and what is not is named.
make_trace data <<'END'
location main pid=1000
1000 enter main
1200 enter step
1210 exit step
9000 exit main
location worker pid=1000
1030 enter main
1040 exit main
END
: >data/1000-0.2.trace
pcomp replay data -o replayed --model time --format json | grep -o '"locations": [0-9]*, "events": [0-9]*'
pcomp report data --format csv | cut -d, -f1
pcomp timeline data -o picture.svg && test -s picture.svg && echo drawn
pcomp export data --format chrome -o chrome.json && check_chrome chrome.json >/dev/null && echo exported
pcomp info data | grep -c 'worker'
for f in data/*.trace; do : >"$f"; done
pcomp replay data -o replayed --model time
exit 0
