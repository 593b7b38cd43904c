# Where the system allows no samples, bursts alone tell; so too without debug information, and that is said.
without_perf pcomp record --mode burst -- shares_load shares 2>/dev/null && echo done
pcomp report 2>/dev/null | grep -c 'samples tell of the rest'
pcomp info 2>/dev/null | grep -o 'no samples between bursts: the system allows none'
pcomp report --format csv 2>/dev/null | cut -d, -f1 | grep -x -e work -e inlined_work -e copy_much | sort
strip -g -o shares_stripped "$(command -v shares_load)"
pcomp record --mode burst -- ./shares_stripped shares 2>/dev/null && echo done
pcomp report 2>&1 | grep -o 'no debug information, by which inlined functions are told apart'
pcomp report 2>/dev/null | grep -c 'samples tell of the rest'
exit 0
