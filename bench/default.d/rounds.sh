# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/default: the rounds of a row (a program in a build), and the figures of the row.

least_rounds=5
coarse_rounds=5

# figure_awk NAME ARGUMENT...: NAME.awk behind medians.awk.
figure_awk() {
    local name=$1
    shift
    awk -f "$here/accuracy.d/medians.awk" -f "$parts_dir/$name.awk" "$@"
}

# measure_row: all chosen figures of $program in $build_name, in the current folder. A subshell each: a figure that fails does
# not take the others with it.
measure_row() {
    local part status
    : >runs
    for part in rounds shares samplers counts inclusive full traced; do
        if [ $part = rounds ]; then
            wanted time total interval shares inclusive || continue
        else
            wanted $part || continue
        fi
        set +e
        (
            set -eu -o pipefail
            measure_$part
        )
        status=$?
        set -e
        progress ""
        if [ $status -ne 0 ]; then
            note "$part: failed"
            echo "MISS $program $build_name $part" >>"$results"
        fi
    done
}

# emit FIGURE VALUE STANDARD_ERROR COUNT: one figure of the row.
emit() {
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' $program "$(set_of $program)" $build_name "$@" >>"$figures"
}

# note TEXT: why a figure of the row is missing, or doubtful.
note() {
    echo "$program $build_name: $1" >>"$results_dir/notes"
}

# measure_rounds: emits what the rounds alone tell; leaves `runs`, and the profiles of the default.
measure_rounds() {
    local round figure value error count
    for ((round = 1; round <= most_rounds; round++)); do
        run_round $round
        [ $round -lt $least_rounds ] || ! settled || break
    done
    [ $kept -eq 0 ] || note "$kept of $(wc -l <runs) runs waited for a processor each time and were kept"
    figure_awk rounds runs |
        while read -r figure value error count; do
            case $figure in
            seconds) ;;
            *_percent_*) wanted total || continue ;;
            half_width | inside) wanted interval || continue ;;
            *) wanted time || continue ;;
            esac
            emit $figure $value $error $count
        done
}

# Each variant once; what was recorded and the same binary without stand beside each other, now one first, now the other.
run_round() {
    local variant order="plain off default control"
    [ $(($1 % 2)) -eq 1 ] || order="plain default off control"
    for variant in $order; do
        run_variant $1 $variant
    done
    if wanted inclusive; then
        [ $1 -gt 1 ] || choose_coarse
        [ $1 -gt $coarse_rounds ] || [ ! -s chosen ] || run_variant $1 coarse "${coarse_options[@]}"
    fi
}

# settled: the standard errors of the row's ratios to the program without sites, and with sites off, are below 1 %.
settled() {
    figure_awk rounds runs |
        awk '/^(wall|processor)_/ && $3 >= 0.01 * $2 { open = 1 } /^error_percent_/ && $3 >= 1 { open = 1 } END { exit open }'
}
