# What injected slowdowns did to the exclusive times (slowdown.sh).
#
#   slowdown.awk program=... build=... total=NS VARIANTS PLAIN.RUNS INSTR.RUNS
#
# VARIANTS: "KIND-PERCENT LABEL STEPS CALLS NAME"; PLAIN.RUNS: "VARIANT ROUND total-ns site-ns-a-call"; INSTR.RUNS: "VARIANT
# ROUND N M L raw-inclusive raw-exclusive compensated-inclusive compensated-exclusive NAME".

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

# The name of a C++ function without arguments: one word.
function one_word(name) { gsub(/\(.*|[ \t]/, "", name); return name }

FILENAME == "variants" {
    variant = variants[++number] = $1
    calls[variant] = $4
    for (i = 0; i < 4; i++) sub(/^[^ ]+ /, "")
    target[variant] = $0
    next
}
FILENAME == "plain.runs" { plain[$1, $2] = $3; add("site " $1, $4); if ($2 > rounds) rounds = $2; next }
{
    variant = $1; round = $2; raw = $7; compensated = $9
    for (i = 0; i < 9; i++) sub(/^[^ ]+ /, "")
    # Functions of one name are one.
    exclusive[variant, round, $0] += compensated
    raw_exclusive[variant, round, $0] += raw
    functions[$0] = 1
}

END {
    for (i = 1; i <= number; i++) {
        variant = variants[i]
        split(variant, part, "-")
        if (part[2] == 0) continue
        without = part[1] "-0"
        expected = calls[variant] * (median("site " variant) - median("site " without))
        worst = 0
        elsewhere = "-"
        for (name in functions) {
            id = variant " " name
            for (round = 1; round <= rounds; round++)
                add(id, exclusive[variant, round, name] - exclusive[without, round, name])
            change = median(id)
            if (name == target[variant]) shown = change
            else if (size(change) > size(worst)) { worst = change; elsewhere = name }
        }
        name = target[variant]
        for (round = 1; round <= rounds; round++) {
            add("raw " variant, raw_exclusive[variant, round, name] - raw_exclusive[without, round, name])
            add("plain " variant, plain[variant, round] - plain[without, round])
        }
        limit = 0.1 * expected > 0.002 * total ? 0.1 * expected : 0.002 * total
        worst *= 100 / total
        printf "slowdown %s %s inject %s %s %d %.0f %.0f %.0f %.0f %.3f %s %s %s %s\n", program, build, part[1], part[2],
            calls[variant], expected, shown, median("raw " variant), median("plain " variant), worst,
            (size(shown - expected) <= limit ? "right" : "MISS"), (size(worst) <= 0.3 ? "clean" : "MISS"), one_word(name),
            one_word(elsewhere)
    }
}
