# shellcheck shell=bash disable=SC2015,SC2034,SC2086,SC2154
# Sourced by bench/default: one run of a variant of $program in $build_name, in the current folder.
#
# A line "ROUND VARIANT main wall processor compensated uncertainty sites" a run goes to the file `runs`, in seconds: main from its entry
# to its end, as a preloaded library stamps it; wall and processor (user and system) of all that was started, `pcomp record`
# included. "-" where there is none.

foremost="" # undisturbed.sh's: runs have no priority of their own
# shellcheck source=bench/accuracy.d/undisturbed.sh
. "$here/accuracy.d/undisturbed.sh"

record_options=${BENCH_RECORD_OPTIONS-}
read -ra record_words <<<"$record_options"

before_run() {
    rm -rf data data.old usage
}

# run_variant ROUND VARIANT [OPTION...]: VARIANT is plain or control (without sites), off (sites are no-ops), default (pcomp
# record), coarse or full (pcomp record --mode full with OPTIONs), or traced (traced.sh). Default, coarse and full leave
# `report.json`, and profile.VARIANT.ROUND with a line "N uncertainty-of-N exclusive inclusive NAME" a function.
run_variant() {
    local round=$1 variant=$2 binary command=() rest="- - -" counted="" totals
    shift 2
    case $variant in
    plain | control) binary=$(binary_of $program $build_name plain) ;;
    off) binary=$(binary_of $program $build_name off) ;;
    *) binary=$(binary_of $program $build_name sites) ;;
    esac
    case $variant in
    default) command=("$pcomp" record "${record_words[@]}" -o data --); counted=yes ;;
    coarse | full) command=("$pcomp" record --mode full "$@" -o data --) ;;
    traced) command=("$pcomp" record --trace "${record_words[@]}" -o data --) ;;
    esac
    progress "$program $build_name, round $round: $variant"
    run_undisturbed "${binary##*/}" "$programs/bench_timed_run" usage $variant "${command[@]}" "$binary" "${arguments[@]}" \
        >/dev/null 2>stderr.txt || { tail -n 5 stderr.txt >&2; die "$binary: $variant failed"; }
    if [ $variant = traced ]; then
        rest=$(read_replay)
    elif [ ${#command[@]} -gt 0 ]; then
        read_report
        mv profile profile.$variant.$round
        read -ra totals <<<"total.compensated total.uncertainty${counted:+ counting.sites}"
        rest=$("$programs/bench_report_value" get report.json "${totals[@]}" |
            awk '{ printf "%s%.9f", (NR > 1 ? " " : ""), $1 / 1e9 } END { if (NR < 3) printf " -" }')
    fi
    awk -v head="$round $variant" -v main=$wall -v rest="$rest" '{
        printf "%s %.9f %s %.6f %s\n", head, main / 1e9, $4, $2 + $3, rest }' usage >>runs
}

# read_report: makes report.json and `profile` of the run in `data`.
read_report() {
    "$pcomp" report data --view flat --names full --limit 0 --format json >report.json 2>messages &&
        "$programs/bench_report_value" estimates report.json >profile || { tail -n 5 messages >&2; die "pcomp report: failed"; }
}

# run_apart FILE ROUNDS VARIANT...: rounds of these variants in turns, whose lines go to FILE.
run_apart() {
    local file=$1 rounds=$2 round variant
    shift 2
    mv runs runs.rounds
    : >runs
    for ((round = 1; round <= rounds; round++)); do
        for variant in "$@"; do
            run_variant $round $variant
        done
    done
    mv runs $file
    mv runs.rounds runs
}
