# shellcheck shell=bash disable=SC2154
# Sourced by bench/accuracy last: the goals, from the figures of all parts. A part that was not measured has no row.

# error_group NAME WHOSE: sizes of the errors of the total, in percent, one a line. WHOSE: default, or control: an uninstrumented run
# taken for a method's. Which builds NAME takes:
#   inlined  gcc instruments functions that it then inlines, and that dilates the program more than 3 times       others  the rest
error_group() {
    awk -v group="$1" -v key="$2_error_percent" '
        $1 == "totals" && $4 == "dilation" { dilated[$2, $3] = $5 > 3 }
        $1 == "totals" && $4 == key { error[$2, $3] = $5 < 0 ? -$5 : $5 }
        END {
            for (build in error) {
                split(build, of, SUBSEP)
                inlined = of[2] ~ /^gcc-O/ && dilated[build]
                if (inlined == (group == "inlined")) print error[build]
            }
        }' "$figures"
}

# figure_of PART PROGRAM BUILD KEY: its value, or nothing.
figure_of() {
    awk -v key="$1 $2 $3 $4" '$1 " " $2 " " $3 " " $4 == key { print $5; exit }' "$figures"
}

# goal_errors TEXT GROUP MEDIAN WORST: two rows, if there is such a build.
goal_errors() {
    error_group "$2" default | sort -g >"$results_dir/errors.$2"
    [ -s "$results_dir/errors.$2" ] || return 0
    at_most "$1: median of $(wc -l <"$results_dir/errors.$2")" "$(calc "$(median <"$results_dir/errors.$2")" 2)" % "$3"
    at_most "$1: worst" "$(calc "$(tail -n 1 "$results_dir/errors.$2")" 2)" % "$4"
    error_group "$2" control | sort -g >"$results_dir/errors.$2.control"
    [ ! -s "$results_dir/errors.$2.control" ] || printf '  %-60s %s\n' "  (one uninstrumented run against another, median and worst)" \
        "$(calc "$(median <"$results_dir/errors.$2.control")" 2), $(calc "$(tail -n 1 "$results_dir/errors.$2.control")" 2) %"
}

# goal_share TEXT PART FIELD WORD PERCENT: a row, if PART has lines whose FIELD is WORD or MISS: at least PERCENT of them WORD.
goal_share() {
    local good all
    read -r good all < <(awk -v part="$2" -v field="$3" -v word="$4" '
        $1 == part && ($field == word || $field == "MISS") { all++; good += $field == word }
        END { print good + 0, all + 0 }' "$figures")
    [ "$all" -gt 0 ] || return 0
    holds "$1, % of $all" "$(calc "100 * $good / $all" 1)" ">= $5" "$([ $((100 * good)) -lt $(($5 * all)) ] || echo yes)"
}

figure "summary: the default of pcomp record against the uninstrumented program"
goal_errors "error of the total" others 2 5
goal_errors "error of the total, gcc inlined, dilation > 3" inlined 10 20
inside=$(figure_of coverage all all inside_percent)
if [ -n "$inside" ]; then
    holds "runs whose 95 % interval holds the truth, %" "$inside" ">= 90" \
        "$([ "${inside%.*}" -lt 90 ] || echo yes)"
    printf '  %-60s %s\n' "  (uninstrumented runs that an interval as wide around T holds)" "$(figure_of coverage all all control_percent) %"
    at_most "half-width of the interval, median" "$(figure_of coverage all all half_width_percent)" % 3
    at_most "cost of the default beyond the full hook, a call" "$(figure_of coverage all all added_ns_per_call)" ns 0
fi
goal_share "shares within 5 points, and a fifth of raw above 10" distribution 9 pass 100
goal_share "shares within 3 points with --budget 5 %" distribution5 9 pass 100
goal_share "costliest functions within 5 %" functions 11 pass 95
goal_share "slowdown in the right function, 10 % or 0.2 % of T" slowdown 13 right 100
goal_share "slowdown nowhere else above 0.3 % of T" slowdown 14 clean 100
goal_share "kernels of known cost within 1 ns a call or 2 %" kernels 11 pass 100
printf '\n%d goals met, %d missed (all figures: %s)\n' "$(grep -c ^pass "$results" || true)" \
    "$(grep -c ^MISS "$results" || true)" "$figures"
