command -v python3 >/dev/null || skip "python3 is not installed"
make_profile data <<END
main 1 1000000
  over 1000 -3000
END
for format in callgrind folded speedscope; do
    pcomp export data --format $format -o -
done
for format in pprof firefox cpuprofile; do
    pcomp export data --format $format -o $format
    python3 "${case%/*}/check_export.py" $format $format
    if [ $format != pprof ]; then grep -o '1 exclusive time below zero[^"]*' $format; fi
done
