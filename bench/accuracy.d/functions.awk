# Errors of the inclusive times of functions (functions.sh).
#
#   functions.awk program=... build=... limit=... CHOSEN TRUTH PROFILES
#
# CHOSEN: "LABEL NAME", costliest first; TRUTH: "LABEL calls outermost ns abandoned slowdown"; PROFILES: "N M L raw-inclusive
# raw-exclusive compensated-inclusive compensated-exclusive NAME", of several runs each.

function add(key, number) { value[key, ++count[key]] = number }

function median(key,    n, i, j, kept) {
    n = count[key]
    for (i = 2; i <= n; i++) {
        kept = value[key, i]
        for (j = i - 1; j > 0 && value[key, j] > kept; j--) value[key, j + 1] = value[key, j]
        value[key, j + 1] = kept
    }
    return n % 2 ? value[key, (n + 1) / 2] : (value[key, n / 2] + value[key, n / 2 + 1]) / 2
}

function size(number) { return number < 0 ? -number : number }

FILENAME == "chosen" { label = $1; sub(/^[^ ]+ /, ""); labels[++functions] = label; names[label] = $0; of[$0] = label; next }
FILENAME == "truth" { add("calls " $1, $2); add("truth " $1, $4); if ($5) jumped[$1] = 1; next }
{
    calls = $1; raw = $4; compensated = $6
    for (i = 0; i < 7; i++) sub(/^[^ ]+ /, "")
    if ($0 in of) { add("N " of[$0], calls); add("raw " of[$0], raw); add("compensated " of[$0], compensated) }
}

END {
    for (i = 1; i <= functions && judged < limit; i++) {
        label = labels[i]
        calls = median("calls " label)
        # Inlined in places, or left by a jump: not the same activations.
        if (size(median("N " label) - calls) > calls / 1000 || label in jumped) {
            left_out++
            continue
        }
        judged++
        truth = median("truth " label)
        raw = median("raw " label)
        compensated = median("compensated " label)
        error = 100 * (compensated / truth - 1)
        raw_error = 100 * (raw / truth - 1)
        within += size(error) <= 5
        raw_within += size(raw_error) <= 5
        if (size(error) > size(worst)) worst = error
        printf "functions %s %s function %.0f %.0f %.0f %.3f %.3f %d %s %s\n", program, build, truth, raw, compensated, error,
            raw_error, calls, (size(error) <= 5 ? "pass" : "MISS"), names[label]
    }
    printf "functions %s %s within %d %d %d %.3f\n", program, build, within, judged, raw_within, worst
    printf "functions %s %s left_out %d\n", program, build, left_out
}
