# shellcheck shell=bash disable=SC2154,SC2086
# What if a function were twice as fast, against the program in which it is.

figure "what if integrate() were twice as fast: error of T_a (--what-if)"

for kind in barrier lock pipeline; do
    for _ in $(seq $runs); do
        before=$(elapsed $foremost "$programs/bench_what_if_work_plain" $kind 1 400)
        faster=$(elapsed $foremost "$programs/bench_what_if_work_plain" $kind 2 400)
        rm -rf data
        PCOMP_DATA=$PWD/data PCOMP_OPTIONS="--trace --trace-all" elapsed $foremost "$programs/bench_what_if_work_hooked" $kind 1 400 >/dev/null
        # shellcheck disable=SC2046
        set -- $(total data --what-if integrate=2x)
        echo "$kind $before $faster $2" >>durations
    done
done

printf '  %-10s %10s %10s %10s %8s\n' kind T/ms faster/ms T_a/ms T_a
for kind in barrier lock pipeline; do
    read -r before faster approximated < <(for i in 2 3 4; do column durations $i $kind; done | xargs)
    error=$(percent $approximated $faster)
    printf '  %-10s %10s %10s %10s %+7.1f%%\n' $kind "$(calc "$before / 1e6" 2)" "$(calc "$faster / 1e6" 2)" \
        "$(calc "$approximated / 1e6" 2)" "$error"
    at_most "$kind, error of T_a" "${error#-}" % 5
done
