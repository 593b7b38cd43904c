# Where the system allows no samples by the kernel, a timer takes them; so too without debug information.
without_perf pcomp record -- shares_load shares 2>/dev/null && echo done
pcomp info 2>/dev/null | grep -o 'call stacks sampled by a timer'
pcomp report --format csv 2>/dev/null | cut -d, -f1 | grep -x -e work -e inlined_work -e copy_much | sort
strip -g -o shares_stripped "$(command -v shares_load)"
pcomp record -- ./shares_stripped shares 2>/dev/null && echo done
pcomp report --format csv 2>/dev/null | cut -d, -f1 | grep -x -e work -e inlined_work -e copy_much | sort
exit 0
