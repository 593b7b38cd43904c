# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# What measuring main alone costs: the hooks of all other functions are called, and count what is filtered out.

. "$here/real_programs.sh"
program_names="bzip2 lua mujs"
prepare_programs
foremost="chrt -f 1" # times of a profile are wall times
$foremost true 2>/dev/null || foremost=""

figure "--only main against measuring everything: CPU time, and the compensated total (medians of $repeat, interleaved)"
# measure_filtered LABEL NAME OPTIONS
measure_filtered() {
    rm -rf "$PCOMP_DATA"
    PCOMP_OPTIONS=$3 time_program times $1 $2 full long $foremost
    "$pcomp" report "$PCOMP_DATA" --format json --limit 1 >report.json
    echo "$1 $("$programs/bench_report_value" get report.json total.compensated total.uncertainty | tr '\n' ' ')" >>totals
}
for _ in $(seq "$repeat"); do
    for name in $program_names; do
        measure_filtered $name-all $name ""
        measure_filtered $name-main $name "--only main"
    done
done
for name in $program_names; do
    all=$(samples times $name-all 2 | median) main=$(samples times $name-main 2 | median)
    total=$(samples totals $name-all 2 | median) filtered=$(samples totals $name-main 2 | median)
    error=$(samples totals $name-all 3 | median)
    fact "$name: user seconds, everything and main alone" "$all" "$main"
    at_most "$name: main alone / everything" "$(calc "$main / $all" 2)" x 1.0
    fact "$name: compensated total of everything, ns" "$(calc "$total" 0)" "± $(calc "$error" 0)"
    at_most "$name: total of main alone, off by, share of that ±" \
        "$(calc "($filtered > $total ? $filtered - $total : $total - $filtered) / $error" 2)" "" 1.0
done
