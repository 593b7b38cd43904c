# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# One enter/exit pair on a repeated call, against two bare clock reads: every call timed (--mode full), and the default.

figure "enter/exit pair: repeated call, shared library, compensation on, minimum and maximum kept"
PCOMP_OPTIONS="--mode full" "$programs/bench_pair_full" 300 >times.txt
"$programs/bench_pair_full" 300 >counted.txt
at_most "pair / two bare clock reads (median of 300 interleaved)" "$(value_of times.txt ratio_median)" x 1.05
fact "pair / two bare clock reads, best of each" \
    "$(calc "$(value_of times.txt direct_best) / $(value_of times.txt reads_best)" 4)" x
fact "two bare clock reads" "$(value_of times.txt reads_best)" ns
fact "pair of hooks, called directly" "$(value_of times.txt direct_best)" ns
fact "call of an instrumented function, nothing subtracted" "$(value_of times.txt call_best)" ns
fact "call of the same function uninstrumented" "$(value_of times.txt plain_best)" ns
fact "pair of hooks by default: counted, a random few stamped" "$(value_of counted.txt direct_best)" \
    "ns (median of all rounds $(value_of counted.txt direct_median))"

if command -v valgrind >/dev/null; then
    # count_instructions MODE. Only what runs inside pair_counted() is collected: no start-up, no calibration.
    count_instructions() {
        rm -rf "$PCOMP_DATA"
        PCOMP_OPTIONS="--mode $1" valgrind --tool=callgrind --callgrind-out-file="$1.callgrind" \
            --toggle-collect=pair_counted "$programs/bench_pair_full" --count 10000 >"$1.log" 2>&1 || { tail -n 5 "$1.log" >&2; die "callgrind: failed"; }
        callgrind_annotate --threshold=100 --show-percs=no "$1.callgrind" >"$1.annotated"
    }
    # Collected instructions a pair in lines of the annotation that match PATTERN.
    instructions_of() {
        awk -v pattern="$2" '$0 ~ pattern && $1 ~ /^[0-9,]+$/ { gsub(",", "", $1); sum += $1 }
            END { printf "%.1f", sum / 10000 }' "$1.annotated"
    }
    count_instructions full
    at_most "instructions a pair, inside libpcomp" "$(instructions_of full 'libpcomp\\.so')" "" 45
    count_instructions auto
    fact "instructions a pair by default" "$(instructions_of auto 'libpcomp\\.so')"
    fact "instructions a pair with call, arguments, PLT and loop" "$(instructions_of full 'PROGRAM TOTALS')"
else
    fact "instructions a pair" "-" "(valgrind is not installed)"
fi
