#!/bin/bash
# unruled_waits.sh: waits of 40 ms that no rule of the replay covers are named, and the ± has them.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O1 -pthread" "$SOURCES/programs/unruled_waits.c"

# is_long KIND NAME: records and replays; whether the wait took half of the 40 ms at least, since who waits may come
# late. Half of the wait, however long, must be in the ±.
is_long()
{
    local sure waited
    drop "$PCOMP_DATA" "$work/replayed"
    run 0 env PCOMP_OPTIONS=--trace "$work/program" "$1" "$work/file"
    silent
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "$1: not replayed"
    waited=$(sed -n "s/.*\"external-$2\", \"calls\": [0-9]*, \"time\": \([0-9.]*\).*/\1/p" "$work/summary")
    [ -n "$waited" ] || fail "$1: no external-$2"
    sure=$(grep -o '"uncertainty": [0-9.]*' "$work/summary" | head -n 1 | grep -o '[0-9.]*$')
    awk -v sure="$sure" -v waited="$waited" 'BEGIN { exit !(sure > waited / 2) }' ||
        fail "$1: $waited ns of waiting have a ± of $sure ns"
    awk -v waited="$waited" 'BEGIN { exit !(waited > 2e7) }'
}

while read -r kind name; do
    is_long "$kind" "$name" || is_long "$kind" "$name" || is_long "$kind" "$name" ||
        fail "$kind: no wait of 40 ms in three runs"
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
