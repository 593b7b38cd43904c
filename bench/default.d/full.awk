# The total in full mode: full.awk RUNS (runs.sh has their form; variants plain and full). Behind medians.awk. Prints lines
# "full_error median standard-error rounds" and "full_inside share standard-error rounds", in %.

{ main[$1, $2] = $3; compensated[$1, $2] = $6; uncertainty[$1, $2] = $7; if ($1 > rounds) rounds = $1 }

END {
    for (r = 1; r <= rounds; r++) add("plain", main[r, "plain"])
    truth = median_of("plain")
    for (r = 1; r <= rounds; r++) {
        overhead = main[r, "full"] - truth
        if (overhead < 0.2 * truth) continue
        error = 100 * (compensated[r, "full"] - truth) / overhead
        add("error", error)
        sum += error
        squares += error * error
        inside += size(compensated[r, "full"] - truth) <= uncertainty[r, "full"]
        n++
    }
    if (!n) exit
    variance = n > 1 ? (squares - sum * sum / n) / (n - 1) : 0
    printf "full_error %.6g %.6g %d\n", median_of("error"), (n > 1 ? 1.2533 * sqrt((variance > 0 ? variance : 0) / n) : 1e9), n
    printf "full_inside %.4g %.4g %d\n", 100 * inside / n, 100 * sqrt(inside / n * (1 - inside / n) / n), n
}
