# The time before a function's exit is the function's, also where its enter was not seen and it has no frame any more.
pcomp record --mode burst -- leaving_load 2>/dev/null
pcomp report --format csv 2>/dev/null | awk -F, 'NR > 1 && $6 > 0.8 { print $1 }'
