# A thread that was recorded and did nothing has an approximated trace, too; where a trace cannot be made, nothing is left.
make_trace data <<'END'
location main pid=1000
1000 enter main
9000 exit main
location idle pid=1000
END
pcomp replay data -o replayed --model time --jobs 2 --format json | grep -o '"locations": [0-9]*, "events": [0-9]*'
find replayed -name '*.trace' | wc -l
(ulimit -f 3; trap '' XFSZ; pcomp replay data -o small --model time --jobs 2 2>&1) | sed 's/small[^/]*tmp/small.tmp/'
ls -d small* 2>/dev/null
exit 0
