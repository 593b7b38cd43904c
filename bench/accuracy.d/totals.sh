# shellcheck shell=bash disable=SC2086,SC2154
# A part of bench/accuracy: the total. Time of main without instrumentation against what each method makes of the instrumented run.
#
# $results_dir/runs.txt gets a line a run, times in nanoseconds:
#   PROGRAM BUILD ROUND METHOD wall raw compensated uncertainty calls        ("-" where there is none)
# METHOD: plain (the truth); default (what `pcomp record` does); tau; and, from one run with every call timed, split and paper.

run_lines=$results_dir/runs.txt
: >"$run_lines"
stamp_library=$programs/bench_main_stamp.so

# Every call timed: its name, or nothing where that is all that there is.
full_mode="--mode full"
"$pcomp" record $full_mode -o probe -- true >/dev/null 2>&1 || full_mode=""

# run_stamped BINARY COMMAND...: one run with the stamp; sets `wall`. A run that waited for a processor more than 2 % of its
# time is repeated, at most twice: the machine's doing, whatever was measured.
run_stamped() {
    local binary=$1 cpu
    shift
    for _ in 1 2 3; do
        rm -rf stamp tau data data.old
        BENCH_STAMP=$PWD/stamp BENCH_TAU=$PWD/tau $foremost "$@" "$binary" "${arguments[@]}" <"$input" >/dev/null 2>stderr.txt ||
            { tail -n 5 stderr.txt >&2; die "$binary: failed"; }
        read -r wall cpu < <(awk -v name="${binary##*/}" '$1 == name { print $2, $3 }' stamp) || die "$binary: has no stamp"
        [ $((wall * 50)) -gt $((cpu * 51)) ] || return 0
        repeated=$((repeated + 1))
    done
    kept=$((kept + 1))
}

# reported MODEL: raw, compensated, uncertainty and calls of the total under MODEL (empty: that of the run).
reported() {
    "$pcomp" report data --view flat --limit 1 --format json ${1:+--model $1} >report.json
    "$programs/bench_report_value" get report.json total.raw total.compensated total.uncertainty total.calls | paste -sd' '
}

# run_method METHOD: appends its lines.
run_method() {
    local instr line="$program $build $round" raw compensated calls
    instr=$(binary_of $program $build instr)
    case $1 in
    plain)
        run_stamped "$(binary_of $program $build plain)" env LD_PRELOAD="$stamp_library"
        echo "$line plain $wall - - - -" >>"$run_lines"
        ;;
    default)
        run_stamped "$instr" env LD_PRELOAD="$stamp_library" "$pcomp" record -o data --
        echo "$line default $wall $(reported "")" >>"$run_lines"
        ;;
    full)
        run_stamped "$instr" env LD_PRELOAD="$stamp_library" "$pcomp" record $full_mode -o data --
        echo "$line split $wall $(reported split)" >>"$run_lines"
        echo "$line paper $wall $(reported paper)" >>"$run_lines"
        ;;
    tau)
        run_stamped "$instr" env LD_PRELOAD="$stamp_library:$programs/bench_tau_hooks.so"
        read -r _ raw compensated calls <tau
        echo "$line tau $wall $raw $compensated - $calls" >>"$run_lines"
        ;;
    esac
}

figure "totals: time of main; errors in % of T, the uninstrumented time, and in ns a call (medians of $runs rounds, each with T twice)"
repeated=0 kept=0
for program in $chosen_programs; do
    program_task $program long
    printf '\n  %-15s %8s %6s %8s %8s' $program 'T, s' '± %' 'M calls' dilation
    printf ' %8s %7s' 'raw %' 'ns' 'paper %' 'ns' 'TAU %' 'ns' 'split %' 'ns' 'default %' 'ns' '± %' inside
    printf '\n'
    for build in $chosen_builds; do
        for round in $(seq "$runs"); do
            for method in $(shuf -e plain plain default full tau); do
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
emit totals all all runs_repeated $((repeated - kept))
emit totals all all runs_disturbed $kept
printf '\n  runs repeated because they waited for a processor: %d; kept although they did: %d\n' $((repeated - kept)) $kept
