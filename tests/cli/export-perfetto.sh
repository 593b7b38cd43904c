# Measured above approximated: slices, names, flows; and a window, with short slices left out.
command -v python3 >/dev/null || skip "python3 is not installed"
check=${case%/*}/check_export.py
make_trace data alpha=10 <<"END"
location rank0 pid=10 rank=0 world=2
0 enter main
100 send_post 64 peer=1 tag=3
200 send_done 64 peer=1 tag=3
300 collective_enter 8 participants=2 class=2 operation=4
700 collective_exit 8 participants=2 class=2 operation=4
800 exit main
location rank1 pid=11 rank=1 world=2
10 enter main
50 recv_post 64 peer=0 tag=3
260 recv_done 64 peer=0 tag=3
300 enter "work"\xff
310 enter unfinished
600 exit "work"\xff
640 collective_enter 8 participants=2 class=2 operation=4
700 collective_exit 8 participants=2 class=2 operation=4
730 create 5
800 join_begin 5
930 join_end 5
950 exit main
location thread pid=11 rank=1 world=2
750 start 5
760 enter main
900 finish 5
END
pcomp replay data -o replayed --comm lower >/dev/null || exit
pcomp export replayed --format perfetto -o trace && python3 "$check" perfetto trace
pcomp export data --format perfetto -o trace && python3 "$check" perfetto trace slices
for format in perfetto chrome; do
    pcomp export data --format $format --from 250ns --to 0.65us --min-duration 100ns -o trace
    if [ $format = chrome ]; then check_chrome trace; else python3 "$check" perfetto trace slices; fi
    pcomp export data --format $format --from 1us -o trace; echo $?
done
pcomp export data --format perfetto --from 1us --to 1us -o trace; echo $?
pcomp export data --format perfetto --from soon -o trace; echo $?
pcomp export data --format perfetto --times raw -o trace; echo $?
echo "== bytes an event"
make_trace many <<"END"
location main pid=10
0 enter main
repeat 20000 1000
10 enter parse
100 enter next
150 exit next
200 enter other
300 exit other
900 exit parse
end
20000800 exit main
END
pcomp export many --format perfetto -o trace && python3 "$check" perfetto trace
