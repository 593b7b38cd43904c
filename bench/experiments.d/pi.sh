# shellcheck shell=bash disable=SC2154,SC2086,SC2046
# 2005 §5, Figures 1 to 3: Monte-Carlo pi by a master and its workers, whose small function get_coords() is called for each
# pair of numbers. Packets on both sides of the size from which on a send waits for its receive.

have_mpi openmpi || die "pi: Open MPI is not here (apt-get install libopenmpi-dev openmpi-bin)"

figure "Monte-Carlo pi (2005 Fig. 1): T, T_m, and the bounds of T_a"
# PAIRS ROUNDS: packets of 1.6 kB and of 320 kB
sizes=("100 6000" "20000 100")

run_plain() {
    plain=$(elapsed $foremost $launch "$programs/bench_mpi_pi_openmpi_plain" $pairs $rounds)
}

run_hooked() {
    rm -rf data
    $foremost "$pcomp" record --trace -o data -- $launch \
        "$programs/bench_mpi_pi_openmpi_hooked" $pairs $rounds >output 2>>log
}

# T_m of the last runs, the bounds of T_a, and what alpha adds to them; all in percent of T.
percents() {
    local bound row
    row=$(percent "$(awk '$1 == "elapsed_ns" { print $2 }' output)" $plain)
    for bound in lower upper; do
        total data --comm $bound >/dev/null
        set -- $(spent replayed experiment)
        row="$row $(percent $2 $plain)"
    done
    echo $row "$(calc "$("$programs/bench_report_value" get summary.json total.approximated.uncertainty) / $plain * 100" 1)"
}

printf '  %8s %6s %10s %9s %9s %9s %9s %10s\n' packet ranks T/ms T_m lower upper ± contained
for size in "${sizes[@]}"; do
    for ranks in 2 3 4; do
        read -r pairs rounds <<<"$size"
        launch=$(launcher openmpi $ranks)
        carefully=""
        [ $ranks -gt "$(nproc)" ] || carefully=undisturbed
        for _ in $(seq $runs); do
            $carefully run_plain
            $carefully run_hooked
            echo $pairs $ranks $plain $(percents) >>durations
        done
        set --
        for i in 3 4 5 6 7; do set -- "$@" "$(column durations $i $pairs $ranks)"; done
        contained=$(calc "($3 - $5 <= 0 && 0 <= $4 + $5)" 0 | sed 's/1/yes/; s/0/no/')
        printf '  %6s B %6s %10s %+8.1f%% %+8.1f%% %+8.1f%% %8.1f%% %10s\n' $((pairs * 16)) $ranks "$(calc "$1 / 1e6" 2)" \
            "$2" "$3" "$4" "$5" $contained
        echo "$pairs $ranks $(calc "$1" 0) $(calc "$1 * (1 + $2 / 100)" 0) $(calc "$1 * (1 + ($3 - $5) / 100)" 0)" \
            "$(calc "$1 * (1 + ($4 + $5) / 100)" 0)" >>pi.dat
        [ -z "$carefully" ] || contained_here+=("$((pairs * 16)) $ranks $contained")
    done
    echo >>pi.dat
    echo >>pi.dat
done
for line in "${contained_here[@]}"; do
    read -r packet ranks contained <<<"$line"
    holds "pi, $ranks ranks, packets of $packet B: bounds and ± contain T" $contained yes $contained
done
disturbance

# Figures 2 and 3: the last execution once more, as a picture and as waiting of the master.
figure "who waited because of the measurement (2005 Fig. 2; the master is the last rank)"
cp "$programs/bench_mpi_pi_openmpi_hooked" mpi_pi
$foremost "$pcomp" record --trace -o picture -- $(launcher openmpi 3) ./mpi_pi 2000 10 >>log 2>&1
"$pcomp" replay picture -o picture-replayed --comm lower >>log 2>&1
"$pcomp" report picture-replayed --view waiting 2>>log | sed "s|$PWD/||; s/^/  /" | head -n 20
"$pcomp" timeline picture-replayed -o pi-timeline.svg 2>>log
plot pi
