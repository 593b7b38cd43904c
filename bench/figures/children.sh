# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# One parent with 1000 children: the cost of finding the path must not depend on how many there are.

figure "1000 children of one parent (full - empty hooks, per call, beside the repeated call; every call timed)"
rounds=$repeat
for _ in $(seq "$rounds"); do
    rm -rf "$PCOMP_DATA"
    PCOMP_OPTIONS="--mode full" "$programs/bench_children_full" 3 >>full
    rm -rf "$PCOMP_DATA"
    "$programs/bench_children_full" 3 >>counted
    "$programs/bench_children_empty" 3 >>empty
done
# Best of all rounds of one order under one kind of hooks.
cost() {
    awk -v key="$2_best" '$1 == key { print $2 }' "$1" | best
}
for order in repeat robin random; do
    declare "$order=$(calc "$(cost full $order) - $(cost empty $order)")"
done
fact "repeated call" "$repeat" "ns (with empty hooks $(cost empty repeat))"
fact "round robin" "$robin" "ns (with empty hooks $(cost empty robin))"
fact "random order" "$random" "ns (with empty hooks $(cost empty random))"
at_most "round robin / repeated call" "$(calc "$robin / $repeat")" x 1.6
at_most "random order / repeated call" "$(calc "$random / $repeat")" x 3
reads=$("$programs/bench_clock_pair")
fact "round robin, random order / two bare clock reads" "$(calc "$robin / $reads")" "$(calc "$random / $reads")"
for order in repeat robin random; do
    declare "$order=$(calc "$(cost counted $order) - $(cost empty $order)")"
done
fact "by default (counted): repeated, round robin, random order" "$repeat" "ns, $robin ns, $random ns"
