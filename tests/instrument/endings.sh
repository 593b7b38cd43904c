#!/bin/bash
# However a process dies, what it counted is in its profile, with the activations that were open.
. "$(dirname "$0")/case.sh"
for link in shared fullstatic preload; do
    [ -n "$SANITIZE" ] && [ $link != shared ] && continue
    build gcc $link "program-$link" -O2 "$SOURCES/programs/endings.c"
    for way in _exit:5 abort:134 segv:139 kill:137 term:143 quick_exit:6; do
        case $SANITIZE:$way in ?*:segv* | ?*:abort*) continue ;; esac
        drop "$PCOMP_DATA"
        # a shell of its own, so that its message about the signal goes nowhere
        run "${way#*:}" bash -c '"$@" 2> errors; exit $?' x env \
            LD_PRELOAD="$([ $link = preload ] && echo "$LIBDIR/libpcomp.so")" "$work/program-$link" "${way%:*}"
        check
        [ -n "$(readlink "$PCOMP_DATA"/*.pcomp)" ] && rm -f "$(readlink "$PCOMP_DATA"/*.pcomp)"
    done
done
finish
