# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Recording events into a file on disk, 1.1 GB of them, beside bare clock reads.

figure "recording an event: its clock read, flushes and the making of pages included, 1.1 GB into a file"
export PCOMP_OPTIONS=--trace
rates=() walls=()
for ((run = 0; run < (repeat < 5 ? repeat : 5); run++)); do
    rm -rf "$PCOMP_DATA"
    "$programs/bench_trace_rate_full" 1100 >"rate.$run"
    rates+=("$(value_of "rate.$run" ratio)")
    walls+=("$(value_of "rate.$run" ratio_wall)")
done
bytes=$(find "$PCOMP_DATA" -name '*.trace' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
rm -rf "$PCOMP_DATA"
at_most "an event / a bare clock read, sustained (median of ${#rates[@]} runs)" \
    "$(printf '%s\n' "${rates[@]}" | median)" x 1.6
fact "the same by the wall clock" "$(printf '%s\n' "${walls[@]}" | median)" x
fact "a bare clock read" "$(value_of rate.0 read_ns)" ns
fact "an event" "$(value_of rate.0 event_ns)" "ns ($(calc "1000 / $(value_of rate.0 event_ns)" 1) million a second)"
fact "trace" "$(calc "$bytes / 1e9" 2)" "GB of $(df -T . | awk 'NR == 2 { print $2 }'), $(value_of rate.0 events) events"
