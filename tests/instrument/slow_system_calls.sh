#!/bin/bash
# slow_system_calls.sh: a program whose system calls a tracer makes slow goes on, and is not stopped by signals for samples.
. "$(dirname "$0")/case.sh"
gcc -O1 -o "$work/system_calls" "$SOURCES/programs/system_calls.c" || fail "system_calls does not build"
[ "$failures" = 0 ] && { "$work/system_calls" 100000 /bin/true || skip "no process may be traced here"; }

# goes_on PAUSE_US MAX LINE ARGUMENT...: in no more than MAX system calls, each of which takes twice PAUSE_US longer;
# where a slow hook makes the next one slow, they are some hundred thousand
goes_on()
{
    local pause=$1 max=$2 line=$3
    shift 3
    run 0 env PAUSE_US="$pause" "$work/system_calls" "$max" "$work/program" "$@"
    "$PCOMP" info "$PCOMP_DATA" >"$work/info" || fail "not read"
    grep -q "$line" "$work/info" || fail "$(cat "$work/info")"
    "$PCOMP" report "$PCOMP_DATA" | grep -q "note: another process traced the program" || fail "reported as if alone"
    drop "$PCOMP_DATA"
}

unsampled="no call stacks sampled: another process traces the program"
runs_go_on()
{
    build "$1" shared program -O1 "$SOURCES/programs/many_rare.c"
    goes_on 100 20000 "$unsampled"
    goes_on 100 20000 "$unsampled" below
    export PCOMP_OPTIONS="--sampler timer"
    goes_on 100 20000 "call stacks sampled by a timer"
    unset PCOMP_OPTIONS
}

runs_go_on gcc
[ "$failures" = 0 ] || finish
runs_go_on gcc-sleds

# Calls are slower than the distance of polls: those of the levels, and those for a frame that must wait.
goes_on 1000 2500 "$unsampled"
build gcc-sleds shared program -O1 "$SOURCES/programs/fallen.c"
goes_on 1000 2500 "$unsampled"
finish
