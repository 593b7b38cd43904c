#!/bin/bash
# Plug-ins with sleds or hook calls come and go, in one thread and in three: every call behind dlopen is counted.
. "$(dirname "$0")/case.sh"
case $SANITIZE in *address* | *thread*) skip "the sanitizer keeps unloaded libraries apart" ;; esac
cat > "$work/plugin.c" << 'C'
__attribute__((noinline)) int twice_in_plugin(int x) { __asm__ volatile(""); return x + 1; }
int in_plugin(int x) { return twice_in_plugin(x) + twice_in_plugin(x); }
C
for form in gcc gcc-sleds clang-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    build $form shared host -O2 "$SOURCES/programs/site_host.c"
    build $form none plugin.so "-O1 -fPIC -shared" "$work/plugin.c"
    drop "$PCOMP_DATA"
    run 0 "$work/host" "$work/plugin.so" 40
    silent
    check
done
finish
