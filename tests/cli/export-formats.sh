# What other tools read: two processes, threads, waiting, names that are data. Each file is held to its tool's schema.
command -v python3 >/dev/null || skip "python3 is not installed"
check=${case%/*}/check_export.py
make_profile data flags=512 spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000 6000000
  wait_for_lock 10 12000000 11000000 500000
  a;"b"\x0a\xff 1 500000
    compare 300 900000
thread worker
work 1 5000000
  next 5 100000
END
for format in speedscope pprof firefox cpuprofile; do
    echo "== $format"
    pcomp export data --format $format -o $format && python3 "$check" $format $format
done
echo "== raw"
for format in pprof firefox cpuprofile; do
    pcomp export data --format $format --times raw -o raw && python3 "$check" $format raw
done
echo "== one thread"
pcomp export data --format firefox --thread 1001 -o - >one && python3 "$check" firefox one
