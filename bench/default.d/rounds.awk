# Figures of a row, from its runs (runs.sh has their form). Behind medians.awk.
# Prints lines "FIGURE median standard-error-of-the-median rounds". Ratios are made within a round; "plain" in them is the mean
# of the round's two runs without sites.
#
#   seconds            main without sites                wall_plain, processor_plain   default over the program without sites
#   off_plain          main with sites off over without  wall_off, processor_off       default over the same binary, sites off
#   error_percent_off     the compensated total, and what it takes no-op sites for, against main, sites off
#   error_percent_plain   the compensated total against main without sites
#   control_percent_plain                     a second run without sites against the first
#   half_width         of the interval, % of the compensated total
#   inside             share of the intervals that hold main without sites, in % (the standard error is that of the share)

{
    main[$1, $2] = $3; wall[$1, $2] = $4; processor[$1, $2] = $5; compensated[$1, $2] = $6; uncertainty[$1, $2] = $7; sites[$1, $2] = $8
    if ($1 > rounds) rounds = $1
}

function between(of, round) { return (of[round, "plain"] + of[round, "control"]) / 2 }

function put(figure, number) {
    add(figure, number)
    sum[figure] += number
    squares[figure] += number * number
}

# 1.2533: a median's standard error over a mean's.
function show(figure,    n, variance) {
    if (!(n = count[figure])) return
    variance = n > 1 ? (squares[figure] - sum[figure] * sum[figure] / n) / (n - 1) : 0
    printf "%s %.6g %.6g %d\n", figure, median_of(figure), (n > 1 ? 1.2533 * sqrt(variance > 0 ? variance / n : 0) : 1e9), n
}

END {
    for (r = 1; r <= rounds; r++) {
        if (!((r, "plain") in main) || !((r, "control") in main) || !((r, "off") in main) || !((r, "default") in main)) continue
        without = between(main, r)
        put("seconds", without)
        put("off_plain", main[r, "off"] / without)
        put("wall_plain", wall[r, "default"] / between(wall, r))
        put("processor_plain", processor[r, "default"] / between(processor, r))
        put("wall_off", wall[r, "default"] / wall[r, "off"])
        put("processor_off", processor[r, "default"] / processor[r, "off"])
        total = compensated[r, "default"]
        put("error_percent_off", 100 * ((total + sites[r, "default"]) / main[r, "off"] - 1))
        put("error_percent_plain", 100 * (total / without - 1))
        put("control_percent_plain", 100 * (main[r, "control"] / main[r, "plain"] - 1))
        if (total > 0) put("half_width", 100 * uncertainty[r, "default"] / total)
        all++
        inside += size(total - without) <= uncertainty[r, "default"]
    }
    figures = "seconds off_plain wall_plain processor_plain wall_off processor_off error_percent_off error_percent_plain"
    figures = figures " control_percent_plain half_width"
    n = split(figures, of)
    for (i = 1; i <= n; i++) show(of[i])
    if (all) printf "inside %.4g %.4g %d\n", 100 * inside / all, 100 * sqrt(inside / all * (1 - inside / all) / all), all
}
