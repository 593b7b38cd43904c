# Distance of a profile's exclusive shares to the truth: shares.awk PROFILE HALF HALF. Behind medians.awk.
#
# PROFILE: lines "N uncertainty-of-N exclusive inclusive NAME"; HALF: "SAMPLES NAME<TAB>NAME...", the innermost function first.
# Prints "distance floor samples outside", the first two in points: of the profile to both halves, of the halves to each other;
# samples in functions that the profile knows, and others. Parts and clones of a function are the function.

function plain_name(name) {
    sub(/ \[clone .*/, "", name)
    sub(/\.(isra|part|constprop|cold|lto_priv)(\.|$).*/, "", name)
    return name
}

FNR == 1 { file++ }
file == 1 {
    name = plain_name(rest_after(4))
    if (name ~ /^\[/) next
    if (!(name in share)) share[name] = 0
    if ($3 > 0) { share[name] += $3; total += $3 }
    next
}
{
    frames = split(rest_after(1), chain, "\t")
    for (i = 1; i <= frames; i++) {
        name = plain_name(chain[i])
        if (name in share) break
    }
    if (i > frames) { outside += $1; next }
    samples[file, name] += $1
    all[file] += $1
}
END {
    if (!total || !all[2] || !all[3]) exit 1
    for (name in share) {
        distance += size(share[name] / total - (samples[2, name] + samples[3, name]) / (all[2] + all[3]))
        floor += size(samples[2, name] / all[2] - samples[3, name] / all[3])
    }
    printf "%.4f %.4f %d %d\n", 50 * distance, 50 * floor, all[2] + all[3], outside
}
