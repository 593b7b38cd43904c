# What injected slowdowns did to the exclusive times (slowdown.sh). With medians.awk.
#
#   slowdown.awk program=... build=... total=NS VARIANTS PLAIN.RUNS INSTR.RUNS
#
# VARIANTS: "KIND-PERCENT LABEL STEPS CALLS NAME"; PLAIN.RUNS: "VARIANT ROUND total-ns site-ns-a-call"; INSTR.RUNS: "VARIANT
# ROUND N M L raw-inclusive raw-exclusive compensated-inclusive compensated-exclusive NAME".

# The name of a C++ function without arguments: one word.
function one_word(name) { gsub(/\(.*|[ \t]/, "", name); return name }

FNR == 1 { file++ }
file == 1 { variants[++number] = $1; calls[$1] = $4; target[$1] = rest_after(4); next }
file == 2 { plain[$1, $2] = $3; add("site " $1, $4); if ($2 > rounds) rounds = $2; next }
{
    name = rest_after(9)
    # Functions of one name are one.
    raw[$1, $2, name] += $7
    compensated[$1, $2, name] += $9
    functions[name] = 1
}

END {
    for (i = 1; i <= number; i++) {
        variant = variants[i]
        split(variant, part, "-")
        if (part[2] == 0) continue
        without = part[1] "-0"
        expected = calls[variant] * (median_of("site " variant) - median_of("site " without))
        for (round = 1; round <= rounds; round++) {
            for (name in functions)
                add(variant " " name, compensated[variant, round, name] - compensated[without, round, name])
            name = target[variant]
            add("raw " variant, raw[variant, round, name] - raw[without, round, name])
            add("plain " variant, plain[variant, round] - plain[without, round])
        }
        worst = 0
        elsewhere = "-"
        for (name in functions) {
            change = median_of(variant " " name)
            if (name == target[variant]) shown = change
            else if (size(change) > size(worst)) { worst = change; elsewhere = name }
        }
        limit = 0.1 * expected > 0.002 * total ? 0.1 * expected : 0.002 * total
        worst *= 100 / total
        printf "slowdown %s %s inject %s %s %d %.0f %.0f %.0f %.0f %.3f %s %s %s %s\n", program, build, part[1], part[2],
            calls[variant], expected, shown, median_of("raw " variant), median_of("plain " variant), worst,
            (size(shown - expected) <= limit ? "right" : "MISS"), (size(worst) <= 0.3 ? "clean" : "MISS"),
            one_word(target[variant]), one_word(elsewhere)
    }
}
