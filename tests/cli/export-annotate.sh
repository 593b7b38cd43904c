# callgrind_annotate reads the events: compensated, computing, waiting, raw, calls; inclusive, too.
command -v callgrind_annotate >/dev/null || skip "callgrind_annotate (valgrind) is not installed"
make_profile data flags=512 spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000 6000000
  wait_for_lock 10 12000000 11000000 500000
thread worker
work 1 5000000
  next 5 100000
END
pcomp export data --format callgrind -o callgrind.out
annotate() { callgrind_annotate --auto=no --threshold=100 "$@" callgrind.out | sed -n '/^Events shown/p;/file:function$/,$p'; }
annotate
annotate --inclusive=yes --show=waiting,calls --sort=calls
annotate --tree=caller --inclusive=yes --show=ns | head -12
