#!/bin/bash
# unloading.sh: a plug-in comes and goes all the time while its functions fall from level to level, sites are turned in windows,
# and stacks of samples are walked: none of that may read what has just been unloaded.
. "$(dirname "$0")/case.sh"
build gcc none plugin.so "-O1 -g -fPIC -shared -DPLUGIN" "$SOURCES/programs/plugin_churn.c"
for link in shared static; do
    build gcc $link host "-O1 -g -rdynamic" "$SOURCES/programs/plugin_churn.c"
    for options in "" "--budget 0.5%" "--budget 3%"; do
        for _ in 1 2 3; do
            drop "$PCOMP_DATA"
            export PCOMP_OPTIONS="$options"
            run 0 "$work/host" "$work/plugin.so" 600
            silent
            [ $link = static ] && continue # libpcomp.a does not see that a module went
            : > "$work/out"
            MODE=decided check "expect torn" "expect most uncertain 1000000000" \
                "expect most abandoned 1000000000" "expect most unmatched 1000000000"
        done
    done
done
finish
