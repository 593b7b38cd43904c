#!/bin/bash
# Programs that forbid themselves system calls, or to read the clock, run as they would unmeasured; what was measured
# before stays. (A statically linked program cannot be followed: docs/internals/map.md.)
. "$(dirname "$0")/case.sh"
case "$(uname -m)" in x86_64) ;; *) skip "filters of this test are for x86-64" ;; esac
for link in shared preload; do
    build gcc $link "program-$link" -O1 "$SOURCES/programs/locked_in.c"
    for way in filter call strict tsc probe; do
        drop "$PCOMP_DATA"
        run 7 env LD_PRELOAD="$([ $link = preload ] && echo "$LIBDIR/libpcomp.so")" "$work/program-$link" $way
        silent
        check
        [ "$failures" = 0 ] || fail "$link, $way"
    done
done
finish
