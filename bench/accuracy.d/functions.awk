# Errors of the inclusive times of functions (functions.sh). With medians.awk.
#
#   functions.awk program=... build=... limit=... CHOSEN TRUTH PROFILES
#
# CHOSEN: "LABEL NAME", costliest first; TRUTH: "LABEL calls outermost ns abandoned slowdown"; PROFILES: "N M L raw-inclusive
# raw-exclusive compensated-inclusive compensated-exclusive NAME", of several runs each.

FNR == 1 { file++ }
file == 1 {
    labels[++functions] = $1
    name = names[$1] = rest_after(1)
    of[name] = $1
    next
}
file == 2 { add("calls " $1, $2); add("truth " $1, $4); if ($5) jumped[$1] = 1; next }
{
    name = rest_after(7)
    if (name in of) { add("N " of[name], $1); add("raw " of[name], $4); add("compensated " of[name], $6) }
}

END {
    for (i = 1; i <= functions && judged < limit; i++) {
        label = labels[i]
        calls = median_of("calls " label)
        # Inlined in places, or left by a jump or exit(): not the same activations.
        if (size(median_of("N " label) - calls) > calls / 1000 || label in jumped) {
            left_out++
            continue
        }
        judged++
        truth = median_of("truth " label)
        raw = median_of("raw " label)
        compensated = median_of("compensated " label)
        error = 100 * (compensated / truth - 1)
        raw_error = 100 * (raw / truth - 1)
        within += size(error) <= 5
        raw_within += size(raw_error) <= 5
        if (size(error) > size(worst)) worst = error
        printf "functions %s %s function %.0f %.0f %.0f %.3f %.3f %d %s %s\n", program, build, truth, raw, compensated, error,
            raw_error, calls, (size(error) <= 5 ? "pass" : "MISS"), names[label]
    }
    printf "functions %s %s within %d %d %d %.3f %d\n", program, build, within, judged, raw_within, worst, left_out
}
