#!/bin/bash
# unruled_waits.sh: waits of 40 ms that no rule of the replay covers are named, and the ± has them.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O1 -pthread" "$SOURCES/programs/unruled_waits.c"
while read -r kind name; do
    run 0 env PCOMP_OPTIONS=--trace "$work/program" "$kind" "$work/file"
    silent
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "$kind: not replayed"
    grep -q "\"external-$name\"" "$work/summary" || fail "$kind: no external-$name"
    sure=$(grep -o '"uncertainty": [0-9.]*' "$work/summary" | head -n 1 | grep -o '[0-9.]*$')
    awk -v sure="$sure" 'BEGIN { exit !(sure > 2e7) }' || fail "$kind: 40 ms of waiting have a ± of $sure ns"
    drop "$PCOMP_DATA" "$work/replayed"
done <<END
yield yield
spin spin
once futex
stdio read
popen read
system child
fcntl file-lock
queues read
mq read
END
finish
