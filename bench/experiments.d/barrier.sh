# shellcheck shell=bash disable=SC2154,SC2086
# 1993 §4.1, Figure 5: threads that compute and meet at a barrier; the overhead of an event is raised in steps.

figure "barriers, alpha raised in steps (1993 Fig. 5): error of the total time, T_m and T_a against T"
extras="0 100 200 400 800"

run_plain() {
    plain=$(elapsed $foremost "$programs/bench_spmd_barrier_plain" $threads $arguments)
}

run_hooked() {
    local preload=""
    rm -rf data
    [ $extra = 0 ] || preload=$programs/bench_raise_alpha.so
    # shellcheck disable=SC2097,SC2098
    LD_PRELOAD=$preload BENCH_EXTRA_NS=$extra PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace \
        elapsed $foremost "$programs/bench_spmd_barrier_hooked" $threads $arguments >/dev/null
}

for threads in 2 4 8 16; do
    # Where there is a goal, long enough to tell it: over 50 ms the speed of a processor alone varies by some percent.
    phases=50 carefully=""
    [ $threads -gt "$(nproc)" ] || phases=250 carefully=undisturbed
    arguments="$phases 1000 400"
    for _ in $(seq $runs); do
        for extra in $extras; do
            $carefully run_plain
            $carefully run_hooked
            # shellcheck disable=SC2046
            set -- $(alpha data) $(total data --model event)
            echo "$threads $extra $plain $1 $2 $3 $(percent $2 $plain) $(percent $3 $plain)" >>durations
        done
    done
done

printf '  %8s %10s %10s %10s %10s %8s %8s\n' threads alpha/ns T/ms T_m/ms T_a/ms T_m T_a
for threads in 2 4 8 16; do
    for extra in $extras; do
        read -r actual alpha measured approximated measured_error approximated_error \
            < <(for i in 3 4 5 6 7 8; do column durations $i $threads $extra; done | xargs)
        printf '  %8s %10s %10s %10s %10s %+7.1f%% %+7.1f%%\n' $threads "$alpha" "$(calc "$actual / 1e6" 2)" \
            "$(calc "$measured / 1e6" 2)" "$(calc "$approximated / 1e6" 2)" $measured_error $approximated_error
        echo "$threads $alpha $measured_error $approximated_error" >>barrier.dat
    done
    echo >>barrier.dat
    echo >>barrier.dat
done
for threads in 2 4 8 16; do
    worst=$(awk -v threads=$threads '$1 == threads { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { print most }' barrier.dat)
    if [ $threads -le "$(nproc)" ]; then
        at_most "$threads threads, worst error of T_a" "$worst" % 2
    else
        fact "$threads threads on $(nproc) processors, worst error of T_a" "$worst" %
    fi
done
disturbance
plot barrier
