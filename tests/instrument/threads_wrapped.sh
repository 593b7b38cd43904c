#!/bin/bash
# Threads in which a library, behind this one, has a function run before all else: nothing of the library's may stay
# behind when they end. So it is with a signal handler in a thread that has just begun.
. "$(dirname "$0")/case.sh"
case $SANITIZE in *address* | *thread*) skip "its own pthread_create is in front" ;; esac
build gcc none libwrapper.so "-O2 -fPIC -shared" "$SOURCES/programs/thread_wrapper.c"
build gcc preload host "-O2" "$SOURCES/programs/late_threads.c"
run 0 env LD_PRELOAD="$LIBDIR/libpcomp.so $work/libwrapper.so" "$work/host"
silent
check "expect calls wrapped_start 400"
finish
