# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/default: the table of rows, and the summary beside the goals.

# Columns: width, heading, figure, digits. With ± behind a figure stands its standard error.
table_columns="8:T,s:seconds:3 7:off/T:off_plain:3 7:wall/T:wall_plain:3 7:cpu/T:processor_plain:3
    9:wall/Toff:wall_off:3 8:cpu/Toff:processor_off:3 7:±%:wall_error:1 8:err.off%:error_percent_off:1
    8:err.T%:error_percent_plain:1 6:±%:total_error:1 7:ctrl.%:control_percent_plain:1 6:half%:half_width:1 7:inside:inside:0
    7:shares:shares:1 6:floor:shares_floor:1 6:timer:samplers:1 6:N.out%:counts_outside:1 6:N>1M%:counts_many:2 7:incl.%:inclusive_within:0
    7:worst%:inclusive_worst:1 7:full.%:full_error:1 6:fullin:full_inside:0 7:trace/T:traced_wall:3
    7:rep.of%:traced_error:1 7:repl.%:traced_error_plain:1 6:replin:traced_inside:0 6:rounds:rounds:0"

table_head() {
    local column width heading
    : >"$results_dir/notes"
    printf '\n%-11s %-11s %-11s' program kind build
    for column in $table_columns; do
        IFS=: read -r width heading _ <<<"$column"
        printf ' %*s' $width "$heading"
    done
    printf '\n'
}

# table_row: the line of $program in $build_name; an asterisk marks a program of the list `afterwards`.
table_row() {
    local mark=""
    [ "$(set_of $program)" = design ] || mark="*"
    printf '%-11s %-11s %-11s' "$program$mark" "$(kind_of $program)" $build_name
    awk -F '\t' -v program=$program -v build=$build_name -v columns="${table_columns//$'\n'/ }" '
        $1 == program && $3 == build { value[$4] = $5; error[$4] = $6; counted[$4] = $7 }
        END {
            if ("wall_plain" in value) {
                value["rounds"] = counted["wall_plain"]
                value["wall_error"] = 100 * error["wall_plain"] / value["wall_plain"]
            }
            if ("error_percent_plain" in value) {
                value["rounds"] = counted["error_percent_plain"]
                value["total_error"] = error["error_percent_plain"]
            }
            count = split(columns, column, " ")
            for (i = 1; i <= count; i++) {
                if (split(column[i], part, ":") < 4) continue
                text = "-"
                if ((part[3] in value) && value[part[3]] < 1e6) text = sprintf("%." part[4] "f", value[part[3]])
                printf " %" part[1] "s", text
            }
            print ""
        }' "$figures"
}

print_notes() {
    [ ! -s "$results_dir/notes" ] || { printf '\nMissing or doubtful:\n'; sed 's/^/  /' "$results_dir/notes"; }
    printf '\nA * marks programs that came afterwards.\n'
}

# print_summary GOALS
print_summary() {
    local build group set
    printf '\nMedians and worst rows beside the goals. A row misses its goal when it is beyond it by two standard errors.\n'
    for set in design afterwards; do
        for build in $chosen_builds; do
            figure_awk summary -v build=$build -v group="$(goal_group $build)" -v set=$set -v results="$results" \
                "$1" "$figures"
        done
    done
    printf '\n%d goals met, %d missed (all figures: %s)\n' "$(grep -c ^pass "$results" || true)" \
        "$(grep -c ^MISS "$results" || true)" "$figures"
}
