# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
# One processor, measured: the second thread runs when the first waits. Other work had the processor half of the time
# from 1500 to 2700, which no record tells; the schedule does. The first to come has the mutex.
make_trace data processors=1 alpha=0 <<"END"
location main pid=1000
1000 enter main
1010 create 7
1100 lock_request 64
1100 lock_acquired 64
1200 lock_release 64
1500 join_begin 7
4700 join_end 7
5000 exit main
location worker pid=1000
1500 start 7
1500 enter work
1900 preempted 0 a=400 b=800
2700 lock_request 64
2700 lock_acquired 64
3000 lock_release 64
3400 preempted 0 a=1000 b=1200
4700 exit work
4700 finish 7
END
for cores in 1 2; do
    pcomp replay data -o shared --cores $cores | sed 's/; bookkeeping.*//'
    pcomp replay data -o shared --cores $cores --format json | grep -o '"cores.*"measured_directory'
done
# Two ranks on two machines, or bound to processors of their own: each has enough for its two threads, and waking up is
# no waiting for a processor.
make_trace ranks processors=2 alpha=0 <<"END"
location a pid=2000 rank=0 world=2
1000 create 1
1100 sem_init 64
1200 sem_v 64
2000 enter main
location b pid=2000 rank=0 world=2
1050 start 1
1100 sem_p_s 64
1100 sem_p_w 64
1500 sem_p_e 64
1900 enter work
location c pid=2001 rank=1 world=2
1000 create 1
2000 enter main
location d pid=2001 rank=1 world=2
1050 start 1
2000 enter work
END
pcomp replay ranks -o on_ranks | sed -n '/waiting$/,/^$/p'
