# shellcheck shell=bash disable=SC2154,SC2086
# 1993 §4.1, Figure 5: threads that compute and meet at a barrier; the overhead of an event is raised in steps.

figure "barriers, alpha raised in steps (1993 Fig. 5): error of the total time, T_m and T_a against T"
arguments="50 1000 400"
extras="0 100 200 400 800"
for threads in 2 4 8 16; do
    for _ in $(seq $runs); do
        for extra in $extras; do
            echo "plain $threads $(elapsed $foremost "$programs/bench_spmd_barrier_plain" $threads $arguments)" >>durations
            rm -rf data
            preload=""
            [ $extra = 0 ] || preload=$programs/bench_raise_alpha.so
            # shellcheck disable=SC2097,SC2098
            LD_PRELOAD=$preload BENCH_EXTRA_NS=$extra PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace \
                elapsed $foremost "$programs/bench_spmd_barrier_hooked" $threads $arguments >/dev/null
            echo "hooked $threads $extra $(alpha data) $(total data --model event)" >>durations
        done
    done
done

printf '  %8s %10s %10s %10s %10s %8s %8s\n' threads alpha/ns T/ms T_m/ms T_a/ms T_m T_a
for threads in 2 4 8 16; do
    actual=$(column durations 3 plain $threads)
    for extra in $extras; do
        alpha=$(column durations 4 hooked $threads $extra)
        measured=$(column durations 5 hooked $threads $extra)
        approximated=$(column durations 6 hooked $threads $extra)
        printf '  %8s %10s %10s %10s %10s %+7.1f%% %+7.1f%%\n' $threads "$alpha" "$(calc "$actual / 1e6" 2)" \
            "$(calc "$measured / 1e6" 2)" "$(calc "$approximated / 1e6" 2)" "$(percent $measured $actual)" \
            "$(percent $approximated $actual)"
        echo "$threads $alpha $(percent $measured $actual) $(percent $approximated $actual)" >>barrier.dat
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
plot barrier
