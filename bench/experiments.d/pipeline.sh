# shellcheck shell=bash disable=SC2154,SC2086
# 1991 §4.4: loops whose iterations depend on the one before, with advance and await: what is computed in order, and what
# of it is measured, decides whether waiting appears, disappears or grows by measuring.

figure "advance and await (1991 §4.4): T_m, and T_a of both models, against T"
kernels="3 4 17"
threads=2
iterations=40000

run_plain() {
    plain=$(elapsed $foremost "$programs/bench_advance_loop_plain" $kernel $threads $iterations)
}

run_hooked() {
    rm -rf data
    PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace \
        elapsed $foremost "$programs/bench_advance_loop_hooked" $kernel $threads $iterations >/dev/null
}

# ratios MODEL: T_m / T and T_a / T of the last runs.
ratios() {
    # shellcheck disable=SC2046
    set -- $(total data --model $1)
    echo "$(calc "$1 / $plain" 4) $(calc "$2 / $plain" 4)"
}

for _ in $(seq $runs); do
    for kernel in $kernels; do
        undisturbed run_plain
        undisturbed run_hooked
        echo "$kernel $plain $(ratios event) $(ratios time)" >>durations
    done
done

printf '  %8s %10s %10s %12s %12s\n' kernel T/ms T_m/T time-based/T event-based/T
for kernel in $kernels; do
    actual=$(column durations 2 $kernel) measured=$(column durations 3 $kernel)
    event=$(column durations 4 $kernel) time=$(column durations 6 $kernel)
    printf '  %8s %10s %10s %12s %12s\n' $kernel "$(calc "$actual / 1e6" 2)" $measured $time $event
    echo "$kernel $measured $time $event" >>pipeline.dat
done
while read -r kernel _ time event; do
    error=$(calc "($event > 1 ? ($event - 1) * 100 : (1 - $event) * 100)" 1)
    at_most "kernel $kernel, error of the event-based T_a" "$error" % 5
done <pipeline.dat
worst=$(awk '{ e = $3 > 1 ? $3 - 1 : 1 - $3; if (e > most) most = e } END { print most * 100 }' pipeline.dat)
holds "worst error of the time-based T_a, %" "$worst" "> 5" "$(calc "($worst > 5)" 0 | sed 's/1/yes/')"
disturbance
plot pipeline
