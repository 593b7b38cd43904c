# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/default: shares from the timer's samples against those from perf's, at the same number of samples.
#
# A round has one run with --sampler perf, and as many with --sampler timer as its samples take. The figure is how much farther
# from the truth (shares.sh) the timer's profiles together are than perf's.

samplers_rounds=5

# measure_samplers: emits samplers (points, median over rounds; 0 where the timer's are nearer), for builds that have a goal.
measure_samplers() {
    local round farther error
    [ "$(goal_group $build_name)" = sleds ] || return 0
    take_truth || { note "samplers: perf could not sample"; return 0; }
    for ((round = 1; round <= samplers_rounds; round++)); do
        sample_with perf 1 perf.together || { note "samplers: perf took no samples"; return 0; }
        sample_with timer $taken timer.together || { note "samplers: the timer took no samples"; return 0; }
        echo "$(distance_to_truth timer.together) $(distance_to_truth perf.together)"
    done >samplers.rounds
    read -r farther error < <(figure_awk samplers samplers.rounds)
    emit samplers $farther $error $samplers_rounds
}

# sample_with SAMPLER SAMPLES FILE: runs until so many samples are taken, sets `taken` to their number, and puts what the profiles
# say one behind the other: their times add up.
sample_with() {
    local sampler=$1 wanted=$2 more
    taken=0
    : >$3
    while [ $taken -lt $wanted ]; do
        before_run
        progress "$program $build_name: --sampler $sampler, $taken samples"
        "$pcomp" record -q --sampler $sampler -o data -- "$(binary_of $program $build_name sites)" "${arguments[@]}" \
            <"$input" >/dev/null 2>stderr.txt || { tail -n 5 stderr.txt >&2; die "$program: pcomp record failed"; }
        read_report
        cat profile >>$3
        more=$("$programs/bench_report_value" get report.json counting.samples)
        [ "${more%.*}" -gt 0 ] || return 1
        taken=$((taken + ${more%.*}))
    done
}

# distance_to_truth FILE: in points.
distance_to_truth() {
    figure_awk shares $1 "$truth/half.0" "$truth/half.1" | awk '{ print $1 }'
}
