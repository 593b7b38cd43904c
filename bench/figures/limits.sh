# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Depth and number of call paths: nothing is cut off, and a node costs little.

figure "depth 100,000 and 5 million call paths"

# Calls and "beyond limit" calls of the data directory, as the report sees them.
report_to() {
    "$pcomp" report "$PCOMP_DATA" --view flat --format json >"$1.json"
}
calls_in() {
    "$programs/bench_report_value" get "$1.json" total.calls
}
beyond_in() {
    "$programs/bench_report_value" function "$1.json" '[beyond limit]' | cut -d' ' -f1
}

rm -rf "$PCOMP_DATA"
"$programs/bench_deep_recursion_full" 100000 >deep
report_to deep
right=no
# Twice 100,000 calls, and main.
[ "$(calls_in deep | cut -d. -f1)" = 200001 ] && [ "$(beyond_in deep)" = 0 ] && right=yes
holds "recursion to depth 100,000, unfolded: calls reported" "$(calls_in deep | cut -d. -f1)" "200001" $right

rm -rf "$PCOMP_DATA"
PCOMP_OPTIONS="--mode full" "$programs/bench_many_paths_full" 5000000 >paths
"$programs/bench_many_paths_empty" 5000000 >empty
report_to paths
right=no
[ "$(calls_in paths | cut -d. -f1)" = 5000001 ] && [ "$(beyond_in paths)" = 0 ] && right=yes
holds "5 million call paths: calls reported" "$(calls_in paths | cut -d. -f1)" "5000001" $right
at_most "disk, a node (--mode full)" "$(calc "$(bytes_in "$PCOMP_DATA") / 5000001" 1)" bytes 128
at_most "memory, a node (--mode full; resident, less that of empty hooks)" \
    "$(calc "($(value_of paths resident_kib) - $(value_of empty resident_kib)) * 1024 / 5000001" 1)" bytes 128

rm -rf "$PCOMP_DATA"
"$programs/bench_many_paths_full" 5000000 >paths
report_to paths
right=no
[ "$(calls_in paths | cut -d. -f1)" = 5000001 ] && [ "$(beyond_in paths)" = 0 ] && right=yes
holds "5 million call paths, counted: calls reported" "$(calls_in paths | cut -d. -f1)" "5000001" $right
fact "disk, a node that is counted" "$(calc "$(bytes_in "$PCOMP_DATA") / 5000001" 1)" bytes
fact "memory, a node that is counted" \
    "$(calc "($(value_of paths resident_kib) - $(value_of empty resident_kib)) * 1024 / 5000001" 1)" bytes
rm -rf "$PCOMP_DATA"
