# shellcheck shell=bash disable=SC2001,SC2016,SC2034,SC2086,SC2154
# Sourced by bench/default: inclusive times of the costliest functions, against timing these functions alone.
#
# The truth is the same binary with `--mode full --only` these functions: they are few calls, all other sites are off, so there is next
# to nothing to subtract. Functions are taken by inclusive time, up to 8, of 5 % of the total and more, if timing their
# calls (100 ns each) takes at most 0.2 % of it. Of those that are nearly all of the program, which say what the total says, one
# is taken.

coarse_most=8

# choose_coarse: after the default's first run: the file `chosen`, a name a line, and the array coarse_options.
choose_coarse() {
    local total name
    total=$("$programs/bench_report_value" get report.json total.compensated)
    figure_awk coarse total=$total profile.default.1 | sort -rn |
        awk '$2 && whole++ { next } { sub(/^[^ ]+ [^ ]+ /, ""); print }' | head -n $coarse_most >chosen
    coarse_options=()
    while read -r name; do
        coarse_options+=(--only "$(sed 's/[][*?\\]/\\&/g' <<<"$name")")
    done <chosen
}

# measure_inclusive: emits inclusive_within (share of the functions within 5 %, %) and inclusive_worst (its error, %). Medians over
# rounds of the ratio in a round.
measure_inclusive() {
    local functions within worst
    [ -s chosen ] || { note "inclusive: no function that is a twentieth of the program has few calls"; return 0; }
    figure_awk inclusive chosen profile.coarse.* >inclusive.errors
    read -r functions within worst <<<"$(tail -n 1 inclusive.errors)"
    [ "$functions" -gt 0 ] || { note "inclusive: the functions of few calls were not seen again"; return 0; }
    emit inclusive_within "$(calc "100 * $within / $functions" 2)" 0 "$functions"
    emit inclusive_worst "$worst" 0 "$functions"
}
