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
# take to change the signal mask, in front of their counters (a fifth to a third of first calls where system calls are
# slow). The median of nine recordings counts: in some a function is interrupted, or the CPU is lost between two clocks.
for run in 1 2 3 4 5 6 7 8 9; do
    record CLOCK
    columns raw_inclusive_ns compensated_inclusive_ns metrics_CLOCK_raw_inclusive metrics_CLOCK_compensated_inclusive
done | awk '/^(repeats|looks_up|passes|firsts|main) / {
        off = ($2 - $3) / $2 - ($4 - $5) / $4
        print $1, off < 0 ? -off : off, $0 }' | sort -k1,1 -k2,2g |
    awk '++seen[$1] == 5 { print $1, ($2 < 0.3 ? "as the time" : $0) }'
# Where PAPI has no component for the kernel's events, that is said, and what works.
export KNOWN_PAPI_DISABLED="libpfm4 no default PMU found"
pcomp record --counters perf::PAGE-FAULTS -- counted_work 2>&1 | sed 's/; the kernel counts[^;]*//'
