# Functions of few calls whose inclusive times are compared (inclusive.sh): coarse.awk total=NANOSECONDS PROFILE
# Behind medians.awk. Prints "NANOSECONDS WHOLE NAME" each; WHOLE is 1 of one that is nearly all of the program.

{ name = rest_after(4); copies[name]++; calls[name] = $1; time[name] = $4 }

END {
    for (name in time)
        if (copies[name] == 1 && name !~ /^\[/ && name != "main" && calls[name] > 0 && time[name] >= total / 20 &&
            calls[name] * 100 <= total / 500)
            printf "%.0f %d %s\n", time[name], (time[name] > 0.98 * total), name
}
