#!/bin/bash
# Traces of processes that are killed, that meet a limit or a full disk, and of functions that are filtered out.
. "$(dirname "$0")/case.sh"
build gcc shared steps "-O2 -DCREATES=8 -DEVENTS=100000" "$SOURCES/programs/steps.c"
build gcc fullstatic steps_static "-O2 -DCREATES=0" "$SOURCES/programs/steps.c"

# number FILE: the 64-bit number at its beginning
number()
{
    od -An -tu8 -N8 "$1" | tr -d ' '
}

# run_for SECONDS PROGRAM: until it is killed
run_for()
{
    bash -c 'exec "$@"' x "$work/$2" "$work/done" 2> "$work/err" &
    sleep "$1"
    kill -9 $!
    wait $! 2> /dev/null
    : > "$work/out"
}

# After a kill at any time every call that had returned is in the trace, in its place.
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
    drop "$PCOMP_DATA"
    head -c 8 /dev/zero > "$work/done" # else a program that is killed as it starts leaves that of the round before
    program=steps
    [ $((round % 3)) = 0 ] && program=steps_static
    run_for 0.$((RANDOM % 5))$((RANDOM % 10))2 "$program"
    # what died before its first event, or is making its files, has none to check
    set -- "$PCOMP_DATA"/*.trace
    [ -e "$1" ] || continue
    check "expect steps $(number "$work/done")" "expect live 1"
done
silent

# Killed as it began its trace: the file has no header yet.
drop "$PCOMP_DATA"
run_for 1 steps
[ "$(find "$PCOMP_DATA" -name '*.trace' | wc -l)" = 1 ] || fail "no trace after a second"
: > "$(echo "$PCOMP_DATA"/*.trace)"
check "expect steps 0" "expect live 1"

# A limit, and a limit of the size of files: the beginning is kept, the rest is counted, and one message says so.
for way in "--trace-limit 64K" "--trace-limit 1000K" "--trace-limit=1M" "ulimit 200"; do
    drop "$PCOMP_DATA"
    : > "$work/err"
    export PCOMP_OPTIONS="--trace --trace-all"
    [ "${way% *}" != ulimit ] && PCOMP_OPTIONS="--trace --trace-all $way"
    # in KiB; below what a profile needs nothing is measured
    run 0 bash -c "[ '${way% *}' = ulimit ] && ulimit -f \$((2 * ${way#* })) 2> /dev/null; exec $work/steps > $work/events"
    : > "$work/out"
    case $way in
    ulimit*) says "not measuring\|measurement stopped: the limit of file size was reached" ;;
    *)
        says "measurement stopped: the trace had grown to --trace-limit; [0-9]* events recorded, [0-9]* not"
        check "expect least lost 1" "expect stopped 32" "expect closed 1"
        recorded=$(sed -n 's/.*; \([0-9]*\) events recorded, \([0-9]*\) not/\1 + \2/p' "$work/err")
        # 8 threads: their START, FLUSH_BEGIN and FLUSH_END, and END, which is lost; CREATE; enter and exit of main;
        # PREEMPTED at the beginning of segments where threads share processors
        counted=$(awk '/^expect sequence/ { n += $5 } END { print n + 8 * 4 + 2 }' "$work/events")
        flushes=$(find "$PCOMP_DATA" -name '*.trace' -size +64k | wc -l)
        [ $((recorded)) -ge "$counted" ] && [ $((recorded)) -le $((counted + 9 * 20)) ] ||
            fail "$way: $recorded events, the program made $counted, $flushes files"
        ;;
    esac
done

# A ring keeps the newest.
drop "$PCOMP_DATA"
PCOMP_OPTIONS="--trace --trace-all --trace-limit 100K:ring" run 0 "$work/steps"
: > "$work/out"
silent
check "expect closed 1" "expect kinds 18 8" "expect least unmatched 1"
largest=$(find "$PCOMP_DATA" -name '*.trace' -printf '%s\n' | sort -n | tail -n 1)
[ "$largest" -le 102400 ] || fail "a ring of 100K has $largest bytes"

# Filters, and regions through them.
cat > "$work/filtered.c" << 'C'
#include "instrument/pcomp.h"
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x); }
int main(void)
{
    int s = 0;
    for (int i = 0; i < 100; i++) {
        pcomp_region_begin("part");
        s += middle(i);
        pcomp_region_end("part");
    }
    pcomp_pause();
    middle(1);
    pcomp_resume();
    return s == 0;
}
C
build gcc shared filtered -O1 "$work/filtered.c"
for case in ":200:100:100" "--skip leaf:0:100:100" "--skip middle:200:0:100" "--only middle:0:100:0" "--skip part:200:100:0"; do
    drop "$PCOMP_DATA"
    IFS=: read -r options leaf middle part <<< "$case"
    PCOMP_OPTIONS="--trace --trace-all $options" run 0 "$work/filtered"
    silent
    check "expect calls leaf $leaf" "expect calls middle $middle" "expect calls part $part" "expect kinds 6 1" \
        "expect kinds 7 1"
done

# Options that do not go together measure nothing, and say so.
for options in "--trace --counters X" "--trace --mode full" "--trace --trace-limit 10" "--trace-limit 1M:rings" \
    "--trace --call-sites"; do
    drop "$PCOMP_DATA"
    PCOMP_OPTIONS="$options" run 0 "$work/filtered"
    says "PCOMP_OPTIONS: not measuring: --trace"
    [ -e "$PCOMP_DATA" ] && fail "$options: a profile in spite of it"
done

# The next run moves all away, and the one after that removes it.
drop "$PCOMP_DATA" "$PCOMP_DATA.old"
for run in 1 2 3; do
    PCOMP_OPTIONS="--trace --trace-all" run 0 "$work/filtered"
done
for directory in "$PCOMP_DATA" "$PCOMP_DATA.old"; do
    [ "$(find "$directory" -name '*.trace' | wc -l)" = 1 ] || fail "run $run: files in $directory: $(ls "$directory")"
done

# A file system that is full: as root only.
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=3m tmpfs "$work/small" 2> /dev/null; then
    for size in 300k 1m 3m; do
        mount -o remount,size=$size tmpfs "$work/small"
        PCOMP_OPTIONS="--trace --trace-all" PCOMP_DATA="$work/small/data" run 0 "$work/steps"
        says "not measuring\|measurement stopped: the file system was full\|no memory for another thread"
        drop "$work/small/data"
    done
    umount "$work/small"
else
    echo "NOT TESTED: full file system (needs root)"
fi
finish
