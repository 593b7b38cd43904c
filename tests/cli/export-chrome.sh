# Measured above approximated, two ranks: messages, a collective and threads as flows. The file is what its readers need.
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
300 enter "work"
310 enter unfinished
600 exit "work"
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
pcomp export replayed --format chrome -o trace.json && check_chrome trace.json
grep -v '"ph":"M"' trace.json | grep '"pid":[12],'
pcomp export data --format chrome -o measured.json
check_chrome measured.json
pcomp export data --format chrome --times raw -o measured.json
pcomp export data --format chrome --rank 0 -o measured.json
pcomp export nothing --format chrome -o measured.json
