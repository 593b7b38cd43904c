# How much farther from the truth the timer's samples are than perf's, from a line "TIMER PERF" a round. Behind medians.awk.
# Prints "farther standard-error", in points: the median of the differences, not below 0.

{ add("farther", $1 - $2); sum += $1 - $2; squares += ($1 - $2) ^ 2 }

END {
    variance = NR > 1 ? (squares - sum * sum / NR) / (NR - 1) : 0
    farther = median_of("farther")
    printf "%.4f %.4g\n", (farther > 0 ? farther : 0), (NR > 1 ? 1.2533 * sqrt(variance > 0 ? variance / NR : 0) : 1e9)
}
