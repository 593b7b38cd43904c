# Bad input: an unknown format, options of the other kind of format, a full disk, no trace where one is needed.
make_profile data <<END
main 1 1000000
END
pcomp export data --times gprof -o file; echo $?
pcomp export data --format pprof; echo $?
pcomp export data --format pprof --from 1ms -o file; echo $?
pcomp export data --format folded --min-duration 1ms -o file; echo $?
pcomp export data --format perfetto -o file; echo $?
pcomp export data --format perfetto --thread 1 -o file; echo $?
make_trace traced <<END
location main pid=10
0 enter main
repeat 5000 1000
100 enter f
500 exit f
end
5000100 exit main
END
pcomp replay traced -o replayed >/dev/null
for format in callgrind folded speedscope pprof firefox cpuprofile perfetto chrome; do
    echo precious >file
    ln -sf /dev/full full
    pcomp export replayed --format $format -o full; echo $format $?
    pcomp export replayed --format $format -o - >/dev/full; echo $format $?
    pcomp export replayed --format $format -o file && test "$(wc -c <file)" -gt 20 && echo $format written
done
ls
