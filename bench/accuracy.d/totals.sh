# shellcheck shell=bash disable=SC2086,SC2154
# A part of bench/accuracy: the total. Time of main without instrumentation against what each method makes of the instrumented run.
#
# $results_dir/runs.txt gets a line a run, times in nanoseconds:
#   PROGRAM BUILD ROUND METHOD wall raw compensated uncertainty calls        ("-" where there is none)
# METHOD: plain (the truth); default (what `pcomp record` does); tau; and, from one run with every call timed, split and paper.

# shellcheck source=bench/accuracy.d/undisturbed.sh
. "$parts_dir/undisturbed.sh"
run_lines=$results_dir/runs.txt
: >"$run_lines"

# Every call timed: its name, or nothing where that is all that there is.
full_mode="--mode full"
"$pcomp" record $full_mode -o probe -- true >/dev/null 2>&1 || full_mode=""

before_run() {
    rm -rf tau data data.old
}

# run_main BINARY COMMAND...: BINARY with the program's task, run by COMMAND; sets `wall`.
run_main() {
    local binary=$1
    shift
    run_undisturbed "${binary##*/}" "$@" "$binary" "${arguments[@]}" >/dev/null 2>stderr.txt ||
        { tail -n 5 stderr.txt >&2; die "$binary: failed"; }
}

# add_report NAME [MODEL]: appends the line of the run in `data`, under MODEL or the one that it ran with.
add_report() {
    "$pcomp" report data --view flat --limit 1 --format json ${2:+--model $2} >report.json
    "$programs/bench_report_value" get report.json total.raw total.compensated total.uncertainty total.calls >values ||
        die "$program $build: the report of $1 lacks a total (report.json)"
    echo "$program $build $round $1 $wall" "$(paste -sd' ' values)" >>"$run_lines"
}

# run_method METHOD: appends its lines.
run_method() {
    local instr raw compensated calls
    instr=$(binary_of $program $build instr)
    case $1 in
    plain)
        run_main "$(binary_of $program $build plain)"
        echo "$program $build $round plain $wall - - - -" >>"$run_lines"
        ;;
    default)
        run_main "$instr" "$pcomp" record -o data --
        add_report default
        ;;
    full)
        run_main "$instr" "$pcomp" record $full_mode -o data --
        add_report split split
        add_report paper paper
        ;;
    tau)
        run_main "$instr" env LD_PRELOAD="$stamp_library:$programs/bench_tau_hooks.so" BENCH_TAU="$PWD/tau"
        read -r _ raw compensated calls <tau || die "$program $build: tau_hooks left no total"
        echo "$program $build $round tau $wall $raw $compensated - $calls" >>"$run_lines"
        ;;
    esac
}

figure "totals: time of main; errors in % of T, the uninstrumented time, and in ns a call (medians of $runs rounds, each with T twice; the other methods in $baselines)"
for program in $chosen_programs; do
    program_task $program long
    printf '\n  %-15s %8s %6s %8s %8s' $program 'T, s' '± %' 'M calls' dilation
    printf ' %8s %7s' 'raw %' 'ns' 'paper %' 'ns' 'TAU %' 'ns' 'split %' 'ns' 'default %' 'ns' '± %' inside
    printf '\n'
    for build in $chosen_builds; do
        for round in $(seq "$runs"); do
            methods="plain plain default"
        [ "$round" -gt "$baselines" ] || methods="$methods full tau"
        [[ $build != *-sleds-* ]] || methods=${methods/ tau/} # its hooks are never called
        for method in $(shuf -e $methods); do
                progress "$program $build, round $round of $runs: $method"
                run_method $method
            done
        done
        progress ""
        awk -v program=$program -v build=$build -f "$parts_dir/totals.awk" "$run_lines" >row
        grep ^totals row >>"$figures"
        grep -v ^totals row
    done
done
emit totals all all runs_repeated $repeated
emit totals all all runs_disturbed $kept
printf '\n  runs repeated because they waited for a processor: %d; kept although they did: %d\n' $repeated $kept
