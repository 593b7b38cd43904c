# shellcheck shell=bash disable=SC2154,SC2086
# 1993 §4.2, Figures 6 and 7: a matrix is transposed by blocking writes and reads; the time of a message is taken to be
# nothing (optimistic, lower), what was measured (pessimistic, upper), or what a model says. Then with blind reads and
# uneven instrumentation, under each order in which they may be served.

have_mpi openmpi || die "transpose: Open MPI is not here (apt-get install libopenmpi-dev openmpi-bin)"
if [ -e "$work/experiments/communication" ]; then
    cp "$work/experiments/communication" .
else
    $foremost "$pcomp" calibrate --mpi=openmpi -o communication >>log 2>&1 || die "calibrate --mpi failed ($PWD/log)"
fi

# rounds LABEL RANKS ARGUMENT...: T of the plain program, T_m and T_a of the other, under all bounds and orders.
rounds() {
    local label=$1 ranks=$2 launch
    shift 2
    launch=$(launcher openmpi $ranks)
    for _ in $(seq $runs); do
        echo "plain $label $ranks $(elapsed $foremost $launch "$programs/bench_mpi_transpose_openmpi_plain" "$@")" >>durations
        rm -rf data
        $foremost "$pcomp" record --trace -o data -- $launch \
            "$programs/bench_mpi_transpose_openmpi_hooked" "$@" >output 2>>log
        echo "hooked $label $ranks $(awk '$1 == "elapsed_ns" { print $2 }' output)" >>durations
        for receive in preserve fifo lifo; do
            for bound in lower model upper; do
                [ $receive = preserve ] || [ $label = blind ] || continue
                total data --comm $bound --receive $receive --communication communication >/dev/null
                echo "$receive-$bound $label $ranks $(spent replayed experiment)" >>durations
            done
        done
    done
}

figure "transpose (1993 Fig. 6): T_m, and T_a by what is known of messages, against T (%)"
printf '  %-12s %6s %10s %9s %11s %9s %12s\n' events ranks T/ms measured optimistic modelled pessimistic
for label in fewer same; do
    for ranks in 2 4 8; do
        # fewer: an event for each number of the slab, so fewer in each rank of more; same: as many in each
        calls=0
        [ $label = fewer ] || calls=200
        rounds $label $ranks 32 100 $calls
        actual=$(column durations 4 plain $label $ranks)
        row="$label $ranks"
        for what in "4 hooked" "5 preserve-lower" "5 preserve-model" "5 preserve-upper"; do
            # shellcheck disable=SC2086
            set -- $what
            row="$row $(percent "$(column durations $1 $2 $label $ranks)" $actual)"
        done
        set -- $row
        printf '  %-12s %6s %10s %+8.1f%% %+10.1f%% %+8.1f%% %+11.1f%%\n' $1 $2 "$(calc "$actual / 1e6" 2)" $3 $4 $5 $6
        echo $row >>transpose.dat
    done
    echo >>transpose.dat
    echo >>transpose.dat
done

figure "transpose with blind reads and uneven instrumentation (1993 Fig. 7): modelled messages (%)"
printf '  %6s %10s %9s %9s %9s %9s\n' ranks T/ms measured preserve fifo lifo
for ranks in 2 4 8; do
    rounds blind $ranks 32 50 100 blind
    actual=$(column durations 4 plain blind $ranks)
    row="$ranks $(percent "$(column durations 4 hooked blind $ranks)" $actual)"
    for receive in preserve fifo lifo; do
        row="$row $(percent "$(column durations 5 $receive-model blind $ranks)" $actual)"
    done
    set -- $row
    printf '  %6s %10s %+8.1f%% %+8.1f%% %+8.1f%% %+8.1f%%\n' $1 "$(calc "$actual / 1e6" 2)" $2 $3 $4 $5
    echo $row >>blind.dat
done
plot transpose
