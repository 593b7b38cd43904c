# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/default: what `pcomp record --trace` makes of a program, and what `pcomp replay` makes of the trace,
# against the program without sites and the same binary with its sites off.

traced_rounds=5

# measure_traced: emits traced_wall (T_m / T_off), traced_error (of T_a and what it takes no-op sites for against T_off, %),
# traced_error_plain (of T_a against T, %) and traced_inside (share of the intervals around T_a that hold T of their round, %).
measure_traced() {
    local figure value error count
    run_apart runs.traced $((most_rounds < traced_rounds ? most_rounds : traced_rounds)) plain off traced
    figure_awk traced runs.traced |
        while read -r figure value error count; do
            emit $figure $value $error $count
        done
}

# read_replay: T_a of the trace in `data`, its uncertainty, and what it takes no-op sites for, seconds.
read_replay() {
    rm -rf unmeasured
    "$pcomp" replay data -o unmeasured --format json >replay.json 2>messages ||
        { tail -n 5 messages >&2; die "pcomp replay: failed"; }
    "$programs/bench_report_value" get replay.json total.approximated.value total.approximated.uncertainty total.sites |
        awk '{ printf "%s%.9f", (NR > 1 ? " " : ""), $1 / 1e9 }'
    rm -rf unmeasured
}
