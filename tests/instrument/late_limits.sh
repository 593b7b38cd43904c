#!/bin/bash
# What measuring stands on goes away while it runs: the program does not notice.
. "$(dirname "$0")/case.sh"
build gcc shared program "-O1 -D_GNU_SOURCE" "$SOURCES/programs/late_limits.c"

run 7 "$work/program" file 2> /dev/null
[ "$(cat "$work/out")" = "" ] || fail "output of a program that has none"
[ "$(grep -vc '^pcomp: ' "$work/err")" = 0 ] || fail "error output that is not ours"
PCOMP_DATA="$PCOMP_DATA" "$PCOMP" info "$PCOMP_DATA" > "$work/info" 2>&1 || fail "info: $(tail -1 "$work/info")"

drop "$PCOMP_DATA"
(cd "$work" && ./program user) > "$work/out" 2> "$work/err"
case $? in
7) silent && check "expect processes 1" ;;
77) echo "NOT TESTED: no user namespaces here" ;;
*) fail "a user namespace: status $?" ;;
esac

drop "$PCOMP_DATA"
run 7 timeout 20 "$work/program" exit
silent
check "expect processes 1"
[ -n "$(readlink "$PCOMP_DATA"/*.pcomp)" ] && rm -f "$(readlink "$PCOMP_DATA"/*.pcomp)"

# a calibration file that is none, and never ends
if [ "$MODE" = full ]; then
    mkfifo "$work/fifo"
    drop "$PCOMP_DATA"
    PCOMP_OPTIONS="--mode full --calibration $work/fifo" run 7 timeout 20 "$work/program" x
    says "fifo: not measuring: is no file"
fi
finish
