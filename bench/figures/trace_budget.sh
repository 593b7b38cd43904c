# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# A trace within a budget of bytes: what the worst second had, what the calls that are only counted cost, and whether all are
# counted.

. "$here/real_programs.sh"
program_names="lua"
prepare_programs
rounds=$((repeat < 5 ? repeat : 5))
budget=20

# traced LABEL OPTIONS: one run of lua under --trace.
traced() {
    rm -rf "$PCOMP_DATA"
    PCOMP_OPTIONS="--trace $2" time_program times $1 lua full long
}

# calls_of FILE: functions and their calls, of a CSV report, functions of one name together.
calls_of() {
    "$pcomp" report "$PCOMP_DATA" --format csv 2>/dev/null | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { calls[$at["linkage_name"]] += $at["N"] }
        END { for (f in calls) print f, calls[f] }' | sort >"$1"
}

figure "a trace of lua, 115 million calls, at most $budget MB of it a second (medians of $rounds, interleaved)"
for ((run = 0; run < rounds; run++)); do
    time_program times plain lua plain long
    traced whole "--trace-limit 256M:ring" # all of it would be 3.7 GB
    traced held "--budget-trace ${budget}M"
    "$pcomp" info "$PCOMP_DATA" --format json >info.json
    "$programs/bench_report_value" get info.json trace_budget.worst_bytes trace_budget.violations held_calls |
        tr '\n' ' ' | sed "s/^/run /; s/$/\n/" >>budgets
done
at_most "bytes of the worst second / the budget (worst run)" \
    "$(samples budgets run 2 | sort -g | awk -v budget=$budget 'END { printf "%.3f", $1 / budget / 1048576 }')" "" 1.1
fact "seconds above the budget (worst run)" "$(samples budgets run 3 | sort -g | tail -n 1)" times
fact "calls only counted" "$(calc "$(samples budgets run 4 | median) / 1e6" 1)" million
calls_of held.calls
fact "trace of that run" "$(find "$PCOMP_DATA" -name '*.trace' -printf '%s\n' | awk '{ sum += $1 } END { printf "%.1f", sum / 1048576 }')" MiB
rm -rf "$PCOMP_DATA"
time_program unused counts lua full long env PCOMP_OPTIONS="--counts exact"
calls_of counts.calls
differ=$(diff held.calls counts.calls | grep -c '^[<>]' || true)
at_most "functions whose calls, recorded and counted, are not those counted in place (of $(wc -l <counts.calls))" "$differ" "" 0
fact "user seconds: plain, the whole trace, within the budget" "$(samples times plain 2 | median)," \
    "$(samples times whole 2 | median), $(samples times held 2 | median)"
at_most "dilation within the budget / of the whole trace, CPU time" \
    "$(calc "$(samples times held 2 | median) / $(samples times whole 2 | median)" 2)" x 1.0
