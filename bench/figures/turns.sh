# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# What the default costs real programs, and what of it the profile accounts for: processor time of runs that take turns, quartiles of
# BENCH_ROUNDS rounds. BENCH_PROGRAMS and BENCH_BUILDS choose others. A quiet machine, please.

. "$here/real_programs.sh"
. "$here/site_forms.sh"
parts_dir=$here/default.d
. "$parts_dir/programs.sh"
. "$parts_dir/builds.sh"

results_dir=$PWD
chosen_programs=${BENCH_PROGRAMS:-lua tcc lzip qhull yaml-cpp tinyscheme}
chosen_builds=${BENCH_BUILDS:-gcc-sleds gcc}
prepare_builds

# run_in_turn VARIANT COMMAND...
run_in_turn() {
    rm -rf data
    "$programs/bench_timed_run" times "$@" "${arguments[@]}" <"$input" >/dev/null 2>messages || { tail -n 5 messages >&2; die "$1: failed"; }
}

# quartile VARIANT: the lower quartile of its processor times, s.
quartile() {
    awk -v variant=$1 '$1 == variant { print $2 + $3 }' times | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 3) / 4)] }'
}

round_of_turns() {
    local sites order variant
    sites=$(binary_of $program $build_name sites)
    mapfile -t order < <(printf '%s\n' off still unsampled default | shuf)
    for variant in "${order[@]}"; do
        case $variant in
        off) run_in_turn off "$(binary_of $program $build_name off)" ;;
        still) run_in_turn still "$pcomp" record -q --sampler off --only no_such_function -o data -- "$sites" ;;
        unsampled) run_in_turn unsampled "$pcomp" record -q --sampler off -o data -- "$sites" ;;
        default)
            run_in_turn default "$pcomp" record -q -o data -- "$sites"
            "$pcomp" report data --format json >report.json 2>messages || die "pcomp report: failed"
            "$programs/bench_report_value" get report.json total.overhead counting.sites |
                awk '{ v[NR] = $1 } END { print (v[1] - v[2]) / 1e9 }' >>accounted
            ;;
        esac
    done
}

figure "the default's processor time over that of the same binary with its sites off"
for program in $chosen_programs; do
    for build_name in $chosen_builds; do
        program_task $program seconds
        rm -f times accounted
        for ((round = 0; round < ${BENCH_ROUNDS:-7}; round++)); do
            round_of_turns
        done
        off=$(quartile off)
        fact "$program, $build_name: nothing measured" "$(calc "$(quartile still) / $off")" x
        fact "$program, $build_name: without samples" "$(calc "$(quartile unsampled) / $off")" x
        fact "$program, $build_name: accounted" "$(calc "1 + $(median <accounted) / $off")" x
        at_most "$program, $build_name: the default" "$(calc "$(quartile default) / $off")" x 1.12
    done
done
