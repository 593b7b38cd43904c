# A function that calls nothing for long has its time, which is half of all.
pcomp record -- silent_load 2>/dev/null
pcomp report --format csv 2>/dev/null | awk -F, 'NR > 1 && $6 > 0.25 { print $1 }' | sort
