# shellcheck shell=bash disable=SC2154
# Comparisons of sets of runs: alarms among pairs of sets of one binary, and how often a function that was made 5 % slower
# is found. BENCH_PAIRS, BENCH_TRIES and BENCH_SET are the number of pairs, of tries, and of the runs of a set.

pairs=${BENCH_PAIRS:-40} tries=${BENCH_TRIES:-20} set=${BENCH_SET:-5}
for percent in 0 5; do
    cc -O2 -g -finstrument-functions -DSLOWED_PERCENT="$percent" -I"$root" \
        "$root/bench/programs/compared_runs.c" -o "slowed_$percent"
done

record_set() { # BINARY DIR
    rm -rf "$2"
    "$pcomp" record -q --repeat "$set" -o "$2" -- "./$1" || die "record: failed"
}

alarms=0 marks=0
record_set slowed_0 before
for pair in $(seq "$pairs"); do
    record_set slowed_0 after
    "$pcomp" diff before after --fail-above 0 >compared.txt 2>>alarms.txt || alarms=$((alarms + 1))
    grep -q '  \*  [a-z_]*$' compared.txt && marks=$((marks + 1))
    rm -rf before
    mv after before # neighbours in time, each set in two pairs
done

found=0 others=0
for try in $(seq "$tries"); do
    record_set slowed_0 before
    record_set slowed_5 after
    "$pcomp" diff before after --format json >compared.json
    marked=$(sed -n 's/^ {"name": "\([a-z_]*\)".*"significant": true.*/\1/p' compared.json)
    [[ $'\n'$marked$'\n' != *$'\n'convolve$'\n'* ]] || found=$((found + 1))
    [ -z "$marked" ] || [ "$marked" = convolve ] || others=$((others + 1))
done

figure "sets of $set runs, compared: pcomp record --repeat $set, pcomp diff"
at_most "alarms in $pairs pairs of sets of one binary" "$(calc "100 * $alarms / $pairs" 1)" % 5
fact "pairs with a mark at a function, slower or faster" "$marks"
at_most "a function 5 % slower, missed in $tries tries" "$(calc "100 - 100 * $found / $tries" 1)" % 10
fact "tries with a mark at another function" "$others"
