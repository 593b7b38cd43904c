#!/bin/bash
# switching.sh: a thread that switches often is sampled by ticks alone, since perf makes its switches longer. Who asks
# for perf keeps it.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O1 -D_GNU_SOURCE" "$SOURCES/programs/switching.c"

# events_are COMPUTING WAITING OPTIONS LINE: perf events of the process; LINE is in what is said of it
events_are()
{
    PCOMP_OPTIONS=$3 "$work/program" >"$work/events" 2>"$work/err" || fail "status $?: $(cat "$work/err")"
    printf 'computing %d\nwaiting %d\n' "$1" "$2" | diff - "$work/events" || fail "perf events"
    "$PCOMP" info "$PCOMP_DATA" >"$work/info" || fail "not read"
    grep -q "$4" "$work/info" || fail "$(cat "$work/info")"
    drop "$PCOMP_DATA"
}

PCOMP_OPTIONS="" "$work/program" >"$work/events" || fail "status $?"
"$PCOMP" info "$PCOMP_DATA" >"$work/info" || fail "not read"
grep -q "by the kernel (perf, and a timer" "$work/info" || skip "perf takes no samples beside ticks here"
drop "$PCOMP_DATA"

events_are 1 0 "" "perf, and a timer"
events_are 1 1 "--sampler perf" "by the kernel (perf)"
events_are 0 0 "--sampler timer" "by a timer"
finish
