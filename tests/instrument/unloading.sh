#!/bin/bash
# unloading.sh: a plug-in comes and goes all the time while hooks are turned, functions are chosen that go on being counted,
# and stacks of samples are looked at: none of that may read what has just been unloaded. (The first version did, and the
# program died of it in one of six runs.)
. "$(dirname "$0")/case.sh"
build gcc none plugin.so "-O1 -g -fPIC -shared -DPLUGIN" "$SOURCES/programs/plugin_churn.c"
for link in shared static; do
    build gcc $link host "-O1 -g -rdynamic" "$SOURCES/programs/plugin_churn.c"
    for options in "--mode burst" "--budget 3%" "--budget 10%"; do
        for _ in 1 2 3; do
            drop "$PCOMP_DATA"
            export PCOMP_OPTIONS="$options"
            run 0 "$work/host" "$work/plugin.so" 600
            silent
            [ $link = static ] && continue # libpcomp.a does not see that a module went
            : > "$work/out" # a module that is loaded while hooks are off is met at its first call: few of its hooks are ignored
            MODE=decided check "expect torn" "expect most ignored 1500000" "expect most uncertain 1000000000" \
                "expect most abandoned 1000000000" "expect most unmatched 1000000000"
        done
    done
done
finish
