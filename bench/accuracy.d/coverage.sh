# shellcheck shell=bash disable=SC2154
# A part of bench/accuracy: how often the printed interval of the default method holds the truth, and what the method costs.
# Reads the figures of totals.

grep -q '^totals .* default_inside ' "$figures" || die "coverage: needs the part totals"
awk '
    $1 == "totals" && $4 == "default_inside" { inside += $5; runs += $6 }
    $1 == "totals" && $4 == "control_inside" { control += $5; controls += $6 }
    END {
        printf "coverage all all inside_percent %.1f\ncoverage all all runs %d\n", 100 * inside / runs, runs
        printf "coverage all all control_percent %.1f\n", 100 * control / controls
    }
' "$figures" >covered
cat covered >>"$figures"
for key in default_half_width_percent default_added_ns_per_call; do
    emit coverage all all ${key#default_} "$(awk -v key=$key '$1 == "totals" && $4 == key { print $5 }' "$figures" | median)"
done
