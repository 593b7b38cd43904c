#!/bin/bash
# lacking_memory.sh: threads that find no room for a record: each of their calls is counted, or counted as lost, and the message
# at exit has them all. Counters that threads share without a lock miss some.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O2 -DTHREADS=1500" "$SOURCES/programs/short_threads.c"
(
    ulimit -f 4096
    run 0 "$work/program"
    finish
) || fail "the program was harmed"
says "measurement stopped: the limit of file size was reached"
made=$(awk '/^expect calls@/ { sum += $4 } END { print sum }' "$work/out")
sums=$(sed -n 's/.*; \([0-9]*\) calls counted, \([0-9]*\) not$/\1 \2/p' "$work/err")
least=$made
[ "$MODE" = counts ] && least=$((made / 2))
[ $((${sums% *} + ${sums#* })) -le "$made" ] && [ $((${sums% *} + ${sums#* })) -ge "$least" ] || fail "$made calls were made, '$sums' are said"
"$PCOMP" report "$PCOMP_DATA" 2>&1 | grep -q "there was no memory for another thread; ${sums% *} calls counted, ${sums#* } not" ||
    fail "the report says: $("$PCOMP" report "$PCOMP_DATA" 2>&1 | grep 'measurement stopped')"

# the library and the command agree on what a trace misses
drop "$PCOMP_DATA"
(ulimit -f 2048 && env -u PCOMP_DATA -u PCOMP_OPTIONS "$PCOMP" record --trace -o "$work/traced" -- "$work/program") > "$work/out" 2> "$work/err"
missing=$(sed -n 's/.* events recorded, \([0-9]*\) not$/\1/p' "$work/err")
told=$(sed -n 's/.*events lost: \([0-9,]*\):.*/\1/p' "$work/err" | tr -d ,)
[ -n "$missing" ] && [ "$missing" = "$told" ] || { fail "the library misses '$missing' events, the command '$told'"; cat "$work/err"; }
finish
