# shellcheck shell=bash disable=SC2154,SC2086
# 1991 §4.4: loops whose iterations depend on the one before, with advance and await: what is computed in order, and what
# of it is measured, decides whether waiting appears, disappears or grows by measuring.

figure "advance and await (1991 §4.4): T_m, and T_a of both models, against T"
kernels="3 4 17"
threads=2
for _ in $(seq $runs); do
    for kernel in $kernels; do
        echo "plain $kernel $(elapsed $foremost "$programs/bench_advance_loop_plain" $kernel $threads 4000)" >>durations
        rm -rf data
        PCOMP_DATA=$PWD/data PCOMP_OPTIONS=--trace \
            elapsed $foremost "$programs/bench_advance_loop_hooked" $kernel $threads 4000 >/dev/null
        echo "time $kernel $(total data --model time)" >>durations
        echo "event $kernel $(total data --model event)" >>durations
    done
done

printf '  %8s %10s %10s %12s %12s\n' kernel T/ms T_m/T time-based/T event-based/T
for kernel in $kernels; do
    actual=$(column durations 3 plain $kernel)
    measured=$(calc "$(column durations 3 event $kernel) / $actual" 3)
    time=$(calc "$(column durations 4 time $kernel) / $actual" 3)
    event=$(calc "$(column durations 4 event $kernel) / $actual" 3)
    printf '  %8s %10s %10s %12s %12s\n' $kernel "$(calc "$actual / 1e6" 2)" $measured $time $event
    echo "$kernel $measured $time $event" >>pipeline.dat
done
while read -r kernel _ time event; do
    error=$(calc "($event > 1 ? ($event - 1) * 100 : (1 - $event) * 100)" 1)
    at_most "kernel $kernel, error of the event-based T_a" "$error" % 5
done <pipeline.dat
worst=$(awk '{ e = $3 > 1 ? $3 - 1 : 1 - $3; if (e > most) most = e } END { print most * 100 }' pipeline.dat)
holds "worst error of the time-based T_a, %" "$worst" "> 5" "$(calc "($worst > 5)" 0 | sed 's/1/yes/')"
plot pipeline
