#!/bin/bash
# Under valgrind: no error of the library, exact counts, and no memory filled by its leak check.
. "$(dirname "$0")/case.sh"
export CLOCKS_ARE_SLOW=1
command -v valgrind > /dev/null || skip "no valgrind here"
for way in gcc:jumps gcc:inlined gcc:coroutines clang-sleds:jumps clang-sleds:call_shapes; do
    program=${way#*:}
    build ${way%:*} shared $program "-O2 -gdwarf-4 -DJUMPS_KNOWN" "$SOURCES/programs/$program.c"
    wanted=0
    [ $program = call_shapes ] && wanted=42
    drop "$PCOMP_DATA"
    run $wanted valgrind -q --error-exitcode=88 "$work/$program"
    grep -v "client switching stacks\|to suppress, use\|further instances" "$work/err" | grep . > "$work/complaints" && { fail "valgrind complains"; head -20 "$work/complaints" >&2; }
    check
done
finish
