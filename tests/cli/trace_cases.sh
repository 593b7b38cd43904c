# shellcheck shell=sh
# Traces that several cases replay; sourced by them. alpha is 10 ns, a tick 1 ns.

# Two threads that meet at a barrier; the worker comes 100 ns later, measured, because it records more. Unmeasured the
# main thread comes last.
barrier_trace() {
    make_trace "$1" command="./meet --twice" "${2:-alpha=10}" <<"END"
location main pid=1000
1000 enter main
1010 create 7
1100 enter meet
1110 barrier_enter 64 a=2
1280 barrier_exit 64
1300 exit meet
1400 join_begin 7
1420 join_end 7
1500 exit main
location worker pid=1000
1030 start 7
1040 enter work
repeat 10 20
1050 enter step
1060 exit step
end
1260 barrier_enter 64 a=2
1275 barrier_exit 64
1290 exit work
1300 finish 7
END
}

# Two ranks: 1 waits for a message of 0, which comes late, measured, because 0 records more.
message_trace() {
    make_trace "$1" command=./talk <<"END"
location sender pid=2000 rank=0 world=2
1000 enter main
repeat 10 20
1010 enter step
1020 exit step
end
1210 send_post 100 peer=1 tag=5
1230 send_done 100 peer=1 tag=5
1300 exit main
location receiver pid=2001 rank=1 world=2
1000 enter main
1050 recv_post 100 peer=0 tag=5
1260 recv_done 100 peer=0 tag=5
1300 exit main
END
}
