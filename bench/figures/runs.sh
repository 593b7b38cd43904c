# shellcheck shell=bash disable=SC2154
# Comparisons of sets of runs: alarms among pairs of sets of one binary, and how often a function that was made 5 % slower
# is found, of sets recorded one after the other and in turns. BENCH_PAIRS, BENCH_TRIES and BENCH_SET are the number of pairs, of tries, and of the runs of a set.

pairs=${BENCH_PAIRS:-40} tries=${BENCH_TRIES:-20} set=${BENCH_SET:-5}
for percent in 0 5; do
    cc -O2 -g -finstrument-functions -DSLOWED_PERCENT="$percent" -I"$root" \
        "$root/bench/programs/compared_runs.c" -o "slowed_$percent"
done

record_set() { # BINARY DIR
    rm -rf "$2"
    "$pcomp" record -q --repeat "$set" -o "$2" -- "./$1" || die "record: failed"
}

record_in_turns() { # BINARY DIR BINARY DIR
    rm -rf "$2" "$4"
    mkdir "$2" "$4"
    for run in $(seq "$set"); do
        "$pcomp" record -q -o "$2/$run" -- "./$1" || die "record: failed"
        "$pcomp" record -q -o "$4/$run" -- "./$3" || die "record: failed"
    done
}

pair_compared() { # the operands of pcomp diff
    "$pcomp" diff "$@" --fail-above 0 >compared.txt 2>>alarms.txt || alarms=$((alarms + 1))
    ! grep -q '  \*  [a-z_]*$' compared.txt || marks=$((marks + 1))
}

try_compared() { # the same
    "$pcomp" diff "$@" --format json >compared.json
    marked=$(sed -n 's/^ {"name": "\([a-z_]*\)".*"significant": true.*/\1/p' compared.json)
    [[ $'\n'$marked$'\n' != *$'\n'convolve$'\n'* ]] || found=$((found + 1))
    [ -z "$marked" ] || [ "$marked" = convolve ] || others=$((others + 1))
}

show() { # HOW
    at_most "alarms in $pairs pairs of one binary, $1" "$(calc "100 * $alarms / $pairs" 1)" % 5
    fact "pairs with a mark at a function, slower or faster" "$marks"
    at_most "a function 5 % slower, missed in $tries tries, $1" "$(calc "100 - 100 * $found / $tries" 1)" % 10
    fact "tries with a mark at another function" "$others"
}

figure "sets of $set runs, compared: pcomp record, pcomp diff"

alarms=0 marks=0 found=0 others=0
record_set slowed_0 before
for pair in $(seq "$pairs"); do
    record_set slowed_0 after
    pair_compared before after
    rm -rf before
    mv after before # neighbours in time, each set in two pairs
done
for try in $(seq "$tries"); do
    record_set slowed_0 before
    record_set slowed_5 after
    try_compared before after
done
show "one by one"

alarms=0 marks=0 found=0 others=0
for pair in $(seq "$pairs"); do
    record_in_turns slowed_0 before slowed_0 after
    pair_compared --before before/* --after after/*
done
for try in $(seq "$tries"); do
    record_in_turns slowed_0 before slowed_5 after
    try_compared --before before/* --after after/*
done
show "in turns"
