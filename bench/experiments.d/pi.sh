# shellcheck shell=bash disable=SC2154,SC2086
# 2005 §5, Figures 1 to 3: Monte-Carlo pi by a master and its workers, whose small function get_coords() is called for each
# pair of numbers. Packets on both sides of the size from which on a send waits for its receive.

have_mpi openmpi || die "pi: Open MPI is not here (apt-get install libopenmpi-dev openmpi-bin)"

figure "Monte-Carlo pi (2005 Fig. 1): T, T_m, and the bounds of T_a"
# PAIRS ROUNDS: packets of 1.6 kB and of 320 kB
printf '  %8s %6s %10s %10s %10s %10s %8s %8s %8s %9s\n' packet ranks T/ms T_m/ms lower/ms upper/ms T_m lower upper contained
for size in "100 300" "20000 10"; do
    for ranks in 2 3 4; do
        read -r pairs rounds <<<"$size"
        launch=$(launcher openmpi $ranks)
        for _ in $(seq $runs); do
            echo "plain $pairs $ranks $(elapsed $foremost $launch "$programs/bench_mpi_pi_openmpi_plain" $pairs $rounds)" >>durations
            rm -rf data
            $foremost "$pcomp" record --trace -o data -- $launch \
                "$programs/bench_mpi_pi_openmpi_hooked" $pairs $rounds >output 2>>log
            echo "hooked $pairs $ranks $(awk '$1 == "elapsed_ns" { print $2 }' output)" >>durations
            for bound in lower upper; do
                total data --comm $bound >/dev/null
                echo "$bound $pairs $ranks $(spent replayed experiment)" >>durations
            done
        done
        actual=$(column durations 4 plain $pairs $ranks) measured=$(column durations 4 hooked $pairs $ranks)
        lower=$(column durations 5 lower $pairs $ranks) upper=$(column durations 5 upper $pairs $ranks)
        contained=$(calc "($lower <= $actual && $actual <= $upper)" 0 | sed 's/1/yes/; s/0/no/')
        printf '  %8s %6s %10s %10s %10s %10s %+7.1f%% %+7.1f%% %+7.1f%% %9s\n' "$((pairs * 16)) B" $ranks \
            "$(calc "$actual / 1e6" 2)" "$(calc "$measured / 1e6" 2)" "$(calc "$lower / 1e6" 2)" \
            "$(calc "$upper / 1e6" 2)" "$(percent $measured $actual)" "$(percent $lower $actual)" \
            "$(percent $upper $actual)" "$contained"
        echo "$pairs $ranks $actual $measured $lower $upper" >>pi.dat
    done
    echo >>pi.dat
    echo >>pi.dat
done

# Figures 2 and 3: the last execution once more, as a picture and as waiting of the master.
figure "who waited because of the measurement (2005 Fig. 2; the master is the last rank)"
cp "$programs/bench_mpi_pi_openmpi_hooked" mpi_pi
# shellcheck disable=SC2046
$foremost "$pcomp" record --trace -o picture -- $(launcher openmpi 3) ./mpi_pi 2000 10 >>log 2>&1
"$pcomp" replay picture -o picture-replayed --comm lower >>log 2>&1
"$pcomp" report picture-replayed --view waiting 2>>log | sed "s|$PWD/||; s/^/  /" | head -n 20
"$pcomp" timeline picture-replayed -o pi-timeline.svg 2>>log
plot pi
