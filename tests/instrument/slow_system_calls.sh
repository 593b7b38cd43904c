#!/bin/bash
# slow_system_calls.sh: a program whose system calls a tracer makes slow goes on, and is not stopped by signals for samples.
. "$(dirname "$0")/case.sh"
build gcc shared program -O1 "$SOURCES/programs/many_rare.c"
gcc -O1 -o "$work/system_calls" "$SOURCES/programs/system_calls.c" || fail "system_calls does not build"
[ "$failures" = 0 ] && { "$work/system_calls" 100000 /bin/true || skip "no process may be traced here"; }

# Polls of levels that take longer than the time to the next one would be made by each hook: 190,000 system calls.
run 0 env PAUSE_US=100 "$work/system_calls" 40000 "$work/program"
"$PCOMP" info "$PCOMP_DATA" >"$work/info" || fail "not read"
grep -q "no call stacks sampled: another process traces the program" "$work/info" || fail "$(cat "$work/info")"
drop "$PCOMP_DATA"

run 0 env PCOMP_OPTIONS="--sampler timer" "$work/system_calls" 40000 "$work/program"
"$PCOMP" info "$PCOMP_DATA" >"$work/info" || fail "not read"
grep -q "call stacks sampled by a timer" "$work/info" || fail "$(cat "$work/info")"
finish
