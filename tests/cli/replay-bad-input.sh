# What is wrong is named, with location and event; a half replay is never left behind.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
try() {
    pcomp replay "$@" -o out >/dev/null
    echo "status $?, $(ls -d out* 2>/dev/null | tr '\n' ' ')"
    rm -rf out*
}
try nowhere
mkdir empty && try empty
echo "no trace" >empty/file && try empty
make_profile counted </dev/null && try counted

message_trace lacks-rank && rm lacks-rank/2001*
try lacks-rank

barrier_trace foreign && cp foreign/1000-0.1.trace foreign/1001-0.0.trace
printf 'another run id!!' | dd of=foreign/1001-0.0.trace bs=1 seek=48 conv=notrunc status=none
try foreign

barrier_trace other && echo "no trace at all, but long enough for a header of a file" >other/1000-0.1.trace
try other

barrier_trace short && truncate -s 4400 short/1000-0.1.trace
try short

make_trace backwards <<"END"
location main
1000 enter main
900 exit main
END
try backwards

make_trace no-cause <<"END"
location main
1000 enter main
1005 sem_init 8 a=0
1010 sem_p_s 8
1012 sem_p_w 8
1020 sem_p_e 8
1030 exit main
END
try no-cause

make_trace cycle <<"END"
location main
1000 await_begin 8 a=1
1010 await_end 8 a=1
1020 advance 16 a=1
location other
1000 await_begin 16 a=1
1015 await_end 16 a=1
1020 advance 8 a=1
END
try cycle

make_trace not-entered <<"END"
location main
1000 enter main
1010 barrier_exit 64
1030 exit main
END
try not-entered
