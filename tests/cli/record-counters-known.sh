# The counters of a PAPI that are known: what measuring added to them is taken away, of repeated calls, look-ups,
# filtered calls and first calls of paths.
papi=$(dirname "$(command -v counted_work)")/known_papi
export LD_LIBRARY_PATH="$papi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset KNOWN_PAPI_DISABLED
record() {
    pcomp record --mode full --skip passed --counters "$1" -- counted_work 2>/dev/null
    pcomp report --format csv >table.csv 2>/dev/null
}
# columns NAME... : the functions' names and these columns
columns() {
    awk -F, -v wanted="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, columns, " "); next }
        { printf "%s", $1; for (i = 1; i <= n; i++) printf " %s", $at[columns[i]]; print "" }' table.csv | sort
}
for counter in READS DISTURBED; do
    record $counter
    echo "$counter: inclusive, exclusive, uncertainty"
    columns metrics_${counter}_compensated_inclusive metrics_${counter}_compensated_exclusive \
        metrics_${counter}_uncertainty_inclusive
done
record UNEVEN
columns metrics_UNEVEN_uncertainty_inclusive | awk '$1 == "main" { print (0 < $2 && $2 < 50000 ? "uncertain" : $0) }'
# What the clock says as a counter is what it says as time: the same part of it is taken away, but for what slow hooks
# take to change the signal mask, in front of their counters (up to a quarter of first calls). Of five recordings that
# counts where both parts are nearest: others may have been interrupted between clock and counter.
for run in 1 2 3 4 5; do
    record CLOCK
    columns raw_inclusive_ns compensated_inclusive_ns metrics_CLOCK_raw_inclusive metrics_CLOCK_compensated_inclusive
done | awk '/^(repeats|looks_up|passes|firsts|main) / {
        off = ($2 - $3) / $2 - ($4 - $5) / $4
        if (!($1 in least) || off * off < least[$1]) { least[$1] = off * off; row[$1] = $0 } }
    END { for (name in row) print name, (least[name] < 0.09 ? "as the time" : row[name]) }' | sort
# Where PAPI has no component for the kernel's events, that is said, and what works.
export KNOWN_PAPI_DISABLED="libpfm4 no default PMU found"
pcomp record --counters perf::PAGE-FAULTS -- counted_work 2>&1 | sed 's/; the kernel counts[^;]*//'
