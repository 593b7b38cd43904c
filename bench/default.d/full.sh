# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/default: the total of `pcomp record --mode full`, against the program without sites.
#
# Runs are of the size long, since every call is timed. The error is a share of what was to be taken off, T_m − T; programs
# that --mode full makes less than 1.2 times as long say nothing about it.

full_rounds=3

# measure_full: emits full_error (%, of T_m − T, median over rounds) and full_inside (share of the intervals that hold T, %).
measure_full() {
    local figure value error count
    program_task $program long
    run_apart runs.full $full_rounds plain full
    figure_awk full runs.full |
        while read -r figure value error count; do
            emit $figure $value $error $count
        done
    awk -F '\t' -v program=$program -v build=$build_name \
        '$1 == program && $3 == build && $4 == "full_error" { found = 1 } END { exit !found }' "$figures" || note "full: the run takes less than 1.2 times as long"
}
