# The line after a run needs no names: large programs would take longer for it than for the measurement. A report does.
watching() {
    LD_PRELOAD=$(command -v watch_debug.so) "$@" 2>/dev/null | grep 'reads debug' | sort -u
}
echo record:
watching pcomp record -- spin
echo report:
watching pcomp report
