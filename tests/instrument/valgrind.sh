#!/bin/bash
# Under valgrind: no error of the library, exact counts, and no memory filled by its leak check.
. "$(dirname "$0")/case.sh"
command -v valgrind > /dev/null || skip "no valgrind here"
for program in jumps inlined coroutines; do
    build gcc shared $program "-O2 -DJUMPS_KNOWN" "$SOURCES/programs/$program.c"
    drop "$PCOMP_DATA"
    run 0 valgrind -q --error-exitcode=88 "$work/$program"
    grep -v "client switching stacks\|to suppress, use\|further instances" "$work/err" | grep . > "$work/complaints" && { fail "valgrind complains"; head -20 "$work/complaints" >&2; }
    check
done
finish
