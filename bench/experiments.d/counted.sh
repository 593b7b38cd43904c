# shellcheck shell=bash disable=SC2154,SC2086,SC2046
# Programs whose hot functions a trace counts in place: how long they take so, and what the replay makes of it, with hook
# calls and with sleds. BENCH_CASES: names of the cases that are measured (all).

figure "traces that count hot functions: T_m and T_a against T, medians of $runs"
# NAME GOAL(% of T_a) PROGRAM ARGUMENTS
cases=("barrier 3 traced_threads barrier 400 24000 12" "semaphore 3 traced_threads semaphore 400 18000 12"
    "await 3 traced_threads await 1000 8000 12" "master 5 mpi_ranks master 1000 20000" "stencil 5 mpi_ranks stencil 1000 10000")
forms="hooked sleds"

# started FORM: how the program of the case is started.
started() {
    case $program in
    mpi_ranks) echo "$foremost $(launcher openmpi 2) $programs/bench_${program}_openmpi_$1 $arguments" ;;
    *) echo "$foremost $programs/bench_${program}_$1 $arguments" ;;
    esac
}

run_plain() {
    plain=$(elapsed $(started plain))
}

run_counted() {
    rm -rf data
    measured=$("$pcomp" record --trace -o data -- $(started $form) 2>>log | awk '$1 == "elapsed_ns" { print $2 }')
}

# bounds: lower and upper T_a of what was timed, and the greater ± of both, ns.
bounds() {
    local bound row="" sure=0
    for bound in lower upper; do
        total data --comm $bound >/dev/null
        if [ $program = mpi_ranks ]; then
            set -- $(spent replayed experiment)
            row="$row $2"
        else
            row="$row $("$programs/bench_report_value" get summary.json total.approximated.value)"
        fi
        sure=$(echo "$sure $("$programs/bench_report_value" get summary.json total.approximated.uncertainty)" |
            awk '{ print ($1 > $2 ? $1 : $2) }')
    done
    echo $row $sure
}

printf '  %10s %8s %9s %8s %9s %9s %9s\n' program form T/ms T_m/T T_a ± contained
for case in "${cases[@]}"; do
    read -r name goal program arguments <<<"$case"
    [[ " ${BENCH_CASES:-$name} " == *" $name "* ]] || continue
    [ $program != mpi_ranks ] || have_mpi openmpi || continue
    for _ in $(seq $runs); do
        for form in $forms; do
            [ -x "$(started $form | tr ' ' '\n' | grep "bench_$program")" ] || continue
            undisturbed run_plain
            undisturbed run_counted
            echo $name $form $plain $measured $(bounds) |
                awk '{ a = ($5 + $6) / 2; print $1, $2, $3, $4 / $3, (a / $3 - 1) * 100, $7 / $3 * 100,
                       ($5 - $7 <= $3 && $3 <= $6 + $7) }' >>durations
        done
    done
    for form in $forms; do
        grep -q "^$name $form " durations || continue
        set -- $(for i in 3 4 5 6; do column durations $i $name $form; done)
        contained=$(awk -v key="$name $form " 'index($0, key) == 1 { n++; sum += $7 } END { printf "%.0f", sum / n * 100 }' durations)
        printf '  %10s %8s %9s %8.3f %+8.1f%% %8.1f%% %8s%%\n' $name $form "$(calc "$1 / 1e6" 1)" $2 $3 $4 $contained
        at_most "$name, $form: T_m / T" "$(calc "$2" 3)" "" 1.3
        at_most "$name, $form: error of T_a" "$(calc "$3 < 0 ? -($3) : $3" 1)" % $goal
        at_most "$name, $form: runs whose bounds and ± miss T" "$((100 - contained))" % 10
    done
done
disturbance
