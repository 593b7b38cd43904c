#!/bin/bash
# trace_spins.sh: a thread that waits by sleeping again and again waits for what no rule covers: the ± has that time.
. "$(dirname "$0")/case.sh"
build gcc shared program -O1 "$SOURCES/programs/spinning.c"
run 0 env PCOMP_OPTIONS=--trace "$work/program"
silent
"$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "not replayed"
grep -q '"external-poll"' "$work/summary" || fail "no sleep is taken for a look: $(grep -o '"external[^}]*' "$work/summary")"
sure=$(grep -o '"uncertainty": [0-9.]*' "$work/summary" | head -n 1 | grep -o '[0-9.]*$')
awk -v sure="$sure" 'BEGIN { exit !(sure > 5e6) }' || fail "40 ms of waiting have a ± of $sure ns"
finish
