#!/bin/bash
# Plug-ins that are unloaded, others loaded at the same address: no call is given to the wrong function. Also an
# instrumented shared library that the program is linked with.
. "$(dirname "$0")/case.sh"
case $SANITIZE in *address* | *thread*) skip "the sanitizer keeps unloaded libraries apart" ;; esac
build gcc none a.so "-O1 -fPIC -shared -DNAME=in_plugin_a -DNUMBER=1" "$SOURCES/programs/plugin.c"
build gcc none b.so "-O1 -fPIC -shared -DNAME=in_plugin_b -DNUMBER=2" "$SOURCES/programs/plugin.c"
for link in shared preload; do
    build gcc $link host "-O2" "$SOURCES/programs/plugin_host.c"
    for options in "$mode_options" "--call-sites"; do
        [ "$MODE $options" = "trace --call-sites" ] && continue
        drop "$PCOMP_DATA"
        export PCOMP_OPTIONS="$options"
        run 0 env LD_PRELOAD="$([ $link = preload ] && echo "$LIBDIR/libpcomp.so")" "$work/host" "$work/a.so" "$work/b.so"
        silent
        check
    done
done
export PCOMP_OPTIONS="$mode_options"
# loaded 6,000 times: every call has its function's name, and the profile does not grow with each load
build gcc shared churn "-O2 -DROUNDS=3000" "$SOURCES/programs/plugin_host.c"
drop "$PCOMP_DATA"
run 0 "$work/churn" "$work/a.so" "$work/b.so"
silent
if [ "$MODE" = trace ]; then check; else check "expect most megabytes 1" "expect most nodes 100"; fi
# one comes to lie where another was, before the thread that unloaded that has looked
build gcc shared places "-O2" "$SOURCES/programs/plugin_places.c"
drop "$PCOMP_DATA"
run 0 "$work/places" "$work/a.so" "$work/b.so"
silent
check
# forks while plug-ins come and go
build gcc shared forking "-O2" "$SOURCES/programs/forks_in_loads.c"
drop "$PCOMP_DATA"
run 0 "$work/forking" "$work/a.so"
silent
check
build gcc none libused.so "-O2 -fPIC -shared -DNAME=in_library -DNUMBER=3" "$SOURCES/programs/plugin.c"
cat > "$work/user.c" << 'C'
int call_it(int n);
int main(void) { return call_it(5) == 25 ? 0 : 1; }
C
build gcc shared user "-O2 -L$work -Wl,-rpath,$work" "$work/user.c" "$work/libused.so"
drop "$PCOMP_DATA"
run 0 "$work/user"
silent
check "expect path main>call_it>in_library 5" "expect calls main 1"
finish
