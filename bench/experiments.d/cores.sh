# shellcheck shell=bash disable=SC2154,SC2086
# More threads than processors: the execution that is approximated on as many processors as there are (--cores).

figure "more threads than processors: error of T_a on $(nproc) processors (--cores)"

run_both() {
    plain=$(elapsed $foremost "$programs/bench_shared_processors_plain" $arguments)
    rm -rf data
    PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace elapsed $foremost "$programs/bench_shared_processors_hooked" $arguments >/dev/null
}

for kind in barrier uneven lock pipeline; do
    for threads in 4 8 16; do
        arguments="$kind $threads 100 500 500"
        for _ in $(seq $runs); do
            undisturbed run_both
            # shellcheck disable=SC2046
            set -- $(total data --cores "$(nproc)")
            echo "$kind $threads $plain $1 $2" >>durations
        done
    done
done

printf '  %-10s %8s %10s %10s %10s %8s %8s\n' kind threads T/ms T_m/ms T_a/ms T_m T_a
for kind in barrier uneven lock pipeline; do
    for threads in 4 8 16; do
        read -r actual measured approximated < <(for i in 3 4 5; do column durations $i $kind $threads; done | xargs)
        printf '  %-10s %8s %10s %10s %10s %+7.1f%% %+7.1f%%\n' $kind $threads "$(calc "$actual / 1e6" 2)" \
            "$(calc "$measured / 1e6" 2)" "$(calc "$approximated / 1e6" 2)" "$(percent $measured $actual)" \
            "$(percent $approximated $actual)"
        echo "$kind $threads $(percent $approximated $actual)" >>errors
    done
done
for threads in 4 8 16; do
    worst=$(awk -v threads=$threads '$2 == threads { e = $3 < 0 ? -$3 : $3; if (e > most) most = e } END { print most }' errors)
    at_most "$threads threads on $(nproc) processors, worst error of T_a" "$worst" % 10
done

figure "measured on one processor: error of T_a on $(nproc)"

run_narrow() {
    plain=$(elapsed $foremost "$programs/bench_shared_processors_plain" $arguments)
    rm -rf data
    PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace elapsed taskset -c 0 $foremost \
        "$programs/bench_shared_processors_hooked" $arguments >/dev/null
}

printf '  %-10s %8s %10s %10s %10s %8s\n' kind threads T/ms T_m/ms T_a/ms T_a
for kind in barrier uneven lock pipeline; do
    for threads in 2 4; do
        arguments="$kind $threads 100 500 500"
        for _ in $(seq $runs); do
            undisturbed run_narrow
            # shellcheck disable=SC2046
            set -- $(total data --cores "$(nproc)")
            echo "$kind $threads $plain $1 $2" >>narrow
        done
        read -r actual measured approximated < <(for i in 3 4 5; do column narrow $i $kind $threads; done | xargs)
        printf '  %-10s %8s %10s %10s %10s %+7.1f%%\n' $kind $threads "$(calc "$actual / 1e6" 2)" \
            "$(calc "$measured / 1e6" 2)" "$(calc "$approximated / 1e6" 2)" "$(percent $approximated $actual)"
        percent $approximated $actual >>narrow_errors
    done
done
worst=$(awk '{ e = $1 < 0 ? -$1 : $1; if (e > most) most = e } END { print most }' narrow_errors)
at_most "measured on one processor, worst error of T_a on $(nproc)" "$worst" % 10
disturbance
