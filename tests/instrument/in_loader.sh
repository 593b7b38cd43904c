#!/bin/bash
# in_loader.sh: the library's locks are taken behind the loader's, which the thread that waits for them may hold.
. "$(dirname "$0")/case.sh"
for form in gcc gcc-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    build $form none plugin.so "-O1 -fPIC -shared -DNAME=in_plugin -DNUMBER=1" "$SOURCES/programs/plugin.c"
    build $form shared host -O1 "$SOURCES/programs/in_loader.c"
    drop "$PCOMP_DATA"
    run 0 "$work/host" "$work/plugin.so"
    silent
    check
done
finish
