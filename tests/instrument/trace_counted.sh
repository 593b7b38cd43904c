#!/bin/bash
# trace_counted.sh: traces in which functions fall to counted are replayed, with hook calls and with sleds.
. "$(dirname "$0")/case.sh"
for compiler in gcc clang-sleds; do
    build "$compiler" shared program -O2 "$SOURCES/programs/counted_trace.c"
    for _ in $(seq 12); do
        run 0 env PCOMP_OPTIONS=--trace "$work/program"
        silent
        "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" >"$work/summary" 2>"$work/errors" ||
            fail "$compiler: $(head -n 1 "$work/errors")"
        grep -q "counted in place" "$work/summary" || fail "$compiler: nothing was counted"
        drop "$PCOMP_DATA"
        rm -rf "$work/replayed"
    done
done

# Threads that compute to their end: what was counted behind their last event is known, too.
build gcc shared program -O2 "$SOURCES/programs/counted_to_the_end.c"
run 0 env PCOMP_OPTIONS=--trace "$work/program"
"$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "not replayed"
counted=$(grep -o '"held_calls": [0-9]*' "$work/summary" | grep -o '[0-9]*$')
[ "$counted" -ge 1900000 ] || fail "of 2 million calls $counted were counted"
finish
