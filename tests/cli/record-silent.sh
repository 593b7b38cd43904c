# A function that calls nothing for long has its time, which is half of all.
pcomp record -- silent_load 2>/dev/null
pcomp report --format csv 2>/dev/null | columns share name | awk -F, 'NR > 1 && $1 > 0.25 { print $2 }' | sort
