# Two threads and a barrier, measured and replayed: the whole picture. Half of the measured time is work in main.
make_trace data alpha=10 command="./two 'of them'" <<"END"
location main
0 create 1
0 enter main
500 barrier_enter 64 a=2
820 barrier_exit 64
1000 exit main
location second
20 start 1
40 enter half<1>&co
800 barrier_enter 64 a=2
830 barrier_exit 64
900 flush_begin
950 flush_end
980 exit half<1>&co
990 finish 1
END
pcomp replay data -o replayed >/dev/null || exit
pcomp timeline replayed -o picture.svg --width 400 && cat picture.svg
