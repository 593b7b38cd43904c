# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# What measuring real programs costs, at degrees of instrumentation, as the system's clock and as pcomp sees it. Sourced by
# the figures cost and predict (Hollingsworth and Miller 1996, 6). Bash.
#
#   main     only main is measured (--only main): the sites of all others are off
#   advised  built with what `pcomp advise` says in a first run: the small hot functions have no hooks
#   auto     the default        full   every call timed
#
# All are gcc -O2 builds with the same hooks; the library is preloaded, so that no process but the program's is timed.

# shellcheck source=bench/real_programs.sh
. "$here/real_programs.sh"
# shellcheck source=bench/accuracy.d/programs.sh
. "$here/accuracy.d/programs.sh"
# shellcheck source=bench/accuracy.d/builds.sh
. "$here/accuracy.d/builds.sh"

degrees="main advised auto full"
chosen_programs=${COST_PROGRAMS:-"bzip2 lua zlib sqlite3 mujs mawk libgsm lzip"}
chosen_builds=gcc-O2
results_dir=$work/cost
foremost="chrt -f 1"
$foremost true 2>/dev/null || foremost=""

progress() {
    [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2
}

prepare_degrees() {
    local program
    mkdir -p "$results_dir"
    prepare_accuracy_programs
    build_binaries
    for program in $chosen_programs; do
        build_advised_binary $program
    done
}

# binary_of_degree PROGRAM DEGREE
binary_of_degree() {
    case $2 in
    plain) binary_of $1 gcc-O2 plain ;;
    advised) echo "$results_dir/advised/$1/$1" ;;
    *) binary_of $1 gcc-O2 instr ;;
    esac
}

build_advised_binary() {
    local out=$results_dir/advised/$1 stamp
    stamp=$(cksum <"$(binary_of $1 gcc-O2 instr)")
    [ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ] || return 0
    rm -rf "$out"
    mkdir -p "$out/objects"
    run_degree $1 auto
    "$pcomp" advise data --plain "$(binary_of $1 gcc-O2 plain)" -o "$out/arguments" --format json >"$out/advice.json" 2>&1 ||
        die "$1: no advice ($out/advice.json)"
    describe_program $1
    printf '%s\n' "${sources[@]}" |
        (cd "$out/objects" && xargs -P "$(nproc)" -n 1 gcc -w -g -O2 -finstrument-functions @"$out/arguments" $flags -c)
    gcc "$out"/objects/*.o -o "$out/$1" $libraries
    rm -r "$out/objects"
    echo "$stamp" >"$out/stamp"
}

# options_of DEGREE: as of pcomp record
options_of() {
    case $1 in
    main) echo "--only main" ;;
    auto | full) echo "--mode $1" ;;
    esac
}

# run_degree PROGRAM DEGREE: one run; sets `cpu`, seconds of the processor. Its profile is in data.
run_degree() {
    local binary set=(env)
    binary=$(binary_of_degree $1 $2)
    [ $2 = plain ] || set=(env "LD_PRELOAD=$lib" "PCOMP_DATA=$PWD/data" "PCOMP_OPTIONS=$(options_of $2)")
    program_task $1 long
    rm -rf data data.old run
    $foremost "$programs/bench_timed_run" run $2 "${set[@]}" "$binary" "${arguments[@]}" <"$input" >/dev/null 2>stderr.txt ||
        { tail -n 5 stderr.txt >&2; die "$1 $2: failed"; }
    cpu=$(awk '{ print $2 + $3 }' run)
}

# json_value KEY <JSON
json_value() {
    cat >value.json
    "$programs/bench_report_value" get value.json "$1"
}

# measure_degrees ROUNDS: $results_dir/degrees gets a line "PROGRAM DEGREE T Tm observed noise" each, seconds. A disturbance
# only ever adds: T is the least of its runs, Tm and observed are of the run that has the least left without what was observed.
# noise: of T, between the least of every other run and of the rest. Done once in an invocation of bench/run.
measure_degrees() {
    local program degree round order=()
    [ "$(cat "$results_dir/of" 2>/dev/null)" != $$ ] || return 0
    : >"$results_dir/runs"
    for program in $chosen_programs; do
        for round in $(seq "$1"); do
            for degree in $(shuf -e plain plain $degrees); do
                progress "$program, round $round of $1: $degree"
                run_degree $program $degree
                order=("$program" "$degree" "$cpu")
                [ $degree = plain ] || order+=("$("$pcomp" report data --view cost --limit 1 --format json 2>/dev/null | json_value cost.total)")
                echo "${order[*]}" >>"$results_dir/runs"
                [ $degree != auto ] || [ $round != 1 ] || { rm -rf "$results_dir/$program.data"; mv data "$results_dir/$program.data"; }
            done
        done
    done
    progress ""
    : >"$results_dir/degrees"
    for program in $chosen_programs; do
        for degree in $degrees; do
            awk -v program=$program -v degree=$degree -v plain="$(column $program plain 3 | best)" -v noise="$(noise_of $program)" '
                $1 == program && $2 == degree && (best == "" || $3 - $4 / 1e9 < left) {
                    best = $3; observed = $4 / 1e9; left = best - observed }
                END { print program, degree, plain, best, observed, noise }' "$results_dir/runs" >>"$results_dir/degrees"
        done
    done
    echo $$ >"$results_dir/of"
}

# column PROGRAM DEGREE N: of the runs
column() {
    awk -v program=$1 -v degree=$2 -v n=$3 '$1 == program && $2 == degree { print $n }' "$results_dir/runs"
}

noise_of() {
    local first second
    first=$(column $1 plain 3 | awk 'NR % 2' | best)
    second=$(column $1 plain 3 | awk 'NR % 2 == 0' | best)
    calc "($first > $second) ? $first - $second : $second - $first"
}
