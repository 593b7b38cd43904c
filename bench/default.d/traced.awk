# Traces: traced.awk RUNS (runs.sh has their form; variants plain, off and traced). Behind medians.awk. Prints lines
# "FIGURE value standard-error rounds": traced_wall (T_m / T_off, of main), traced_error (of T_a and its no-op sites, %),
# traced_error_plain (of T_a, %) and traced_inside (share, %). The truth is the round's, from the start of the process to
# its end, as a trace is.

{ main[$1, $2] = $3; wall[$1, $2] = $4; approximated[$1, $2] = $6; uncertainty[$1, $2] = $7; sites[$1, $2] = $8; if ($1 > rounds) rounds = $1 }

function row(name,    variance) {
    variance = n > 1 ? (squares[name] - sum[name] * sum[name] / n) / (n - 1) : 0
    printf "%s %.6g %.6g %d\n", name, median_of(name), (n > 1 ? 1.2533 * sqrt((variance > 0 ? variance : 0) / n) : 1e9), n
}

function note(name, value) {
    add(name, value)
    sum[name] += value
    squares[name] += value * value
}

END {
    for (r = 1; r <= rounds; r++) {
        truth = main[r, "off"]
        if (!(truth > 0) || !((r, "traced") in main) || !((r, "plain") in main)) continue
        n++
        note("traced_wall", main[r, "traced"] / truth)
        note("traced_error", 100 * ((approximated[r, "traced"] + sites[r, "traced"]) / wall[r, "off"] - 1))
        note("traced_error_plain", 100 * (approximated[r, "traced"] / wall[r, "plain"] - 1))
        inside += size(approximated[r, "traced"] - wall[r, "plain"]) <= uncertainty[r, "traced"]
    }
    if (!n) exit
    row("traced_wall")
    row("traced_error")
    row("traced_error_plain")
    printf "traced_inside %.4g %.4g %d\n", 100 * inside / n, 100 * sqrt(inside / n * (1 - inside / n) / n), n
}
