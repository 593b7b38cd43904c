# shellcheck shell=bash disable=SC2015,SC2034,SC2086,SC2154
# Sourced by bench/default: the calls of each function against an independent count of the same binary (see bench/run count).

# measure_counts: emits counts_outside (share of the functions whose N is not in its interval, %), counts_many (median error of N
# above a million, %) and their numbers of functions.
measure_counts() {
    local binary counter fixed="" wrong outside functions many error least=0
    binary=$(binary_of $program $build_name sites)
    counter=$programs/bench_count_sleds.so
    [[ $build_name == *-sleds ]] || counter=$programs/bench_count_hooks.so
    ! setarch -R true 2>/dev/null || fixed="setarch -R"
    progress "$program $build_name: counts"
    rm -rf data
    # As long an environment for both: tables keyed by addresses are filled alike.
    export BENCH_COUNTS=$PWD/truth PCOMP_DATA=$PWD/data PCOMP_OPTIONS=$record_options
    LD_PRELOAD=$counter NO_PRELOAD=$lib $fixed "$binary" "${arguments[@]}" <"$input" >/dev/null 2>messages &&
        LD_PRELOAD=$lib NO_PRELOAD=$counter $fixed "$binary" "${arguments[@]}" <"$input" >/dev/null 2>messages ||
        { tail -n 5 messages >&2; die "$binary: could not be counted"; }
    unset BENCH_COUNTS PCOMP_DATA PCOMP_OPTIONS
    read_report
    read -r wrong _ <<<"$(compare_calls "$binary" truth report.json counts.differences)"
    [[ $(kind_of $program) != *threads ]] || least=10000 # those that lock or wait are called as often as threads meet
    read -r outside functions many error <<<"$(figure_awk counts least=$least compared.lines)"
    [ "$functions" -gt 0 ] || die "$binary: no function was counted"
    emit counts_outside "$(calc "100 * $outside / $functions" 3)" 0 "$functions"
    if [ "$many" -gt 0 ]; then
        emit counts_many "$error" 0 "$many"
    else
        note "counts: no function with more than a million calls"
    fi
}
