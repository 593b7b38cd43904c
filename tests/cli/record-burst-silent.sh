# A function that runs no hook for longer than a burst and the gap behind it has its time, which is half of all.
pcomp record --mode burst -- silent_load 2>/dev/null
pcomp report --format csv 2>/dev/null | awk -F, 'NR > 1 && $6 > 0.25 { print $1 }' | sort
