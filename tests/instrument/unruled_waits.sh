#!/bin/bash
# unruled_waits.sh: waits of 40 ms that no rule of the replay covers are named, and the ± has them.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O1 -pthread" "$SOURCES/programs/unruled_waits.c"

# replayed_with_doubt KIND NAME: the ± of a run is 20 ms at least; sets `sure`, ns.
replayed_with_doubt()
{
    drop "$PCOMP_DATA" "$work/replayed"
    run 0 env PCOMP_OPTIONS=--trace "$work/program" "$1" "$work/file"
    silent
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "$1: not replayed"
    grep -q "\"external-$2\"" "$work/summary" || fail "$1: no external-$2"
    sure=$(grep -o '"uncertainty": [0-9.]*' "$work/summary" | head -n 1 | grep -o '[0-9.]*$')
    awk -v sure="$sure" 'BEGIN { exit !(sure > 2e7) }'
}

# Who waits comes late on a busy machine, and then has nothing to wait for: of three runs one counts.
while read -r kind name; do
    replayed_with_doubt "$kind" "$name" || replayed_with_doubt "$kind" "$name" || replayed_with_doubt "$kind" "$name" ||
        fail "$kind: 40 ms of waiting have a ± of $sure ns"
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
