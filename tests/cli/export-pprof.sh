# pprof itself, as Go has it, opens the file.
pprof=$(ls /usr/lib/go-*/pkg/tool/*/pprof 2>/dev/null | head -n 1)
[ "$pprof" ] || skip "pprof (golang-go) is not installed"
make_profile data flags=512 spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000 6000000
  wait_for_lock 10 12000000 11000000 500000
thread worker
work 1 5000000
  next 5 100000
END
pcomp export data --format pprof -o file || exit
export PPROF_TMPDIR=. HOME=.
use() { "$pprof" "$@" file 2>&1 | grep -v 'Main binary filename'; }
use -top
use -top -cum -sample_index=calls
use -top -sample_index=waiting
use -traces -tagfocus='worker.*'
use -tags -sample_index=time
