# Shares of a row, from a line "distance floor ..." a round (shares.awk). Behind medians.awk.
# Prints "beyond standard-error rounds floor": the median distance less 1.5 floors, not below 0.

{ add("distance", $1); add("floor", $2); sum += $1; squares += $1 * $1 }

END {
    variance = NR > 1 ? (squares - sum * sum / NR) / (NR - 1) : 0
    beyond = median_of("distance") - 1.5 * median_of("floor")
    printf "%.4f %.4g %d %.4f\n", (beyond > 0 ? beyond : 0), (NR > 1 ? 1.2533 * sqrt(variance > 0 ? variance / NR : 0) : 1e9), NR,
        median_of("floor")
}
