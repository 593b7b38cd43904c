# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2231
# What measuring costs under --budget, and what it still tells: dilation over the program with its call sites as no-ops (what a
# budget is of) and over the uninstrumented one, the seconds that went over it, the error of the total, and the calls of functions
# beside those of exact mode. How near shares are to the uninstrumented program's, bench/accuracy --parts distribution says.

# shellcheck source=bench/real_programs.sh
. "$root/bench/real_programs.sh"
prepare_programs
budgets="5 10"
rounds=$repeat
first="chrt -f 1"
$first true 2>/dev/null || first=""

# timed LABEL VARIANT SIZE [PREFIX...]: one run of $name.
timed() {
    local label=$1 variant=$2 size=$3
    shift 3
    time_program times $label $name $variant $size $first env "$@"
}

# ratio A B: wall time of A to that of B, the best of the rounds.
ratio() {
    calc "$(samples times $1 4 | best) / $(samples times $2 4 | best)" 3
}

# columns FILE NAME...: of a CSV report of a C program, tabs between.
columns() {
    local file=$1
    shift
    awk -F, -v names="$*" 'BEGIN { n = split(names, wanted, " ") }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[wanted[k]], k < n ? "\t" : "\n" }' "$file"
}

# count_exactly SIZE: the true numbers of calls.
count_exactly() {
    timed exact instr $1 LD_PRELOAD="$lib"
    "$pcomp" report "$PCOMP_DATA" --format csv >exact.csv 2>/dev/null
    columns exact.csv linkage_name N >exact.calls
}

# compare_calls BUDGET SIZE: of the runs whose reports are calls$BUDGET.*.csv the median one.
compare_calls() {
    local report share all said right missing missed shown_outside
    # Functions of one name are one; those that are not in the report are outside, too.
    for report in calls$1.*.csv; do
        columns $report linkage_name N calls_uncertainty exact |
            awk -F'\t' 'FILENAME == "exact.calls" { truth[$1] += $2; next }
                { calls[$1] += $2; half[$1] += $3; if ($4 == "true") exact[$1] = 1; else inexact[$1] = 1 }
                END { for (f in truth) if (truth[f]) {
                          all++; known = f in calls; off = calls[f] - truth[f]; calls_made += truth[f]
                          inside = off <= half[f] + 0.5 && -off <= half[f] + 0.5
                          held += inside
                          if (known) { shown++; shown_held += inside } else calls_missed += truth[f]
                          if (exact[f] && !inexact[f]) { said++; right += off == 0 }
                      }
                      printf "%.4f %d %d %d %d %.2g %d\n", held / all, all, said, right, all - shown, 100 * calls_missed / calls_made, shown - shown_held }' exact.calls -
    done >coverage
    read -r share all said right missing missed shown_outside < <(sort -g coverage | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }')
    at_most "$name --budget $1%, $2: calls outside their 95 % interval, of $all" "$(calc "(1 - $share) * 100" 1)" % 5
    fact "$name --budget $1%, $2: in the report and outside; not in it" "$shown_outside; $missing, with $missed % of the calls"
    fact "$name --budget $1%, $2: said to be exact, and right" "$said, $right"
}

# Runs of some ten seconds, of which bursts tell more.
compare_long_run() {
    local round
    rm -f ./*.csv
    count_exactly tens
    for ((round = 0; round < rounds; round++)); do
        timed long instr tens LD_PRELOAD="$lib" PCOMP_OPTIONS="--budget 5%"
        "$pcomp" report "$PCOMP_DATA" --format csv >calls5.$round.csv 2>/dev/null
    done
    compare_calls 5 tens
}

figure "budget: measuring held to 5 and 10 % (best of $rounds interleaved runs; 'over off': over call sites as no-ops)"
: >errors
for name in lua sqlite3 bzip2 mujs zlib; do
    rm -f times ./*.csv
    for ((round = 0; round < rounds; round++)); do
        timed plain plain seconds
        timed off instr seconds LD_PRELOAD="$programs/bench_switch_sites.so" BENCH_SITES=0/0
        for budget in $budgets; do
            timed budget$budget instr seconds LD_PRELOAD="$lib" PCOMP_OPTIONS="--budget $budget%"
            "$pcomp" report "$PCOMP_DATA" --format csv >calls$budget.$round.csv 2>/dev/null
            "$pcomp" report "$PCOMP_DATA" --format json >report$budget.json 2>/dev/null
            "$programs/bench_report_value" get report$budget.json total.compensated >>totals$budget.$name
            "$programs/bench_report_value" get report$budget.json budget.worst_percent >>worst$budget.$name
        done
    done
    count_exactly seconds
    plain=$(samples times plain 4 | best)
    fact "$name: uninstrumented, s; call sites as no-ops, exact, over it" \
        "$(calc $plain 2), $(ratio off plain), $(ratio exact plain)"
    for budget in $budgets; do
        at_most "$name --budget $budget%: dilation over off" "$(ratio budget$budget off)" "" "$(calc "1 + $budget / 100 + 0.01" 2)"
        if [ $budget = 5 ]; then
            case $name in lua | sqlite3) goal=1.35 ;; *) goal=1.15 ;; esac
            at_most "$name --budget $budget%: dilation over uninstrumented" "$(ratio budget$budget plain)" "" $goal
        fi
        at_most "$name --budget $budget%: observed cost of the worst second" "$(median <worst$budget.$name)" % \
            "$((budget + 1))"
        # Round by round: what disturbs a minute is in both.
        error=$(samples times plain 4 | paste totals$budget.$name - | awk '{ print $1 / 1e9 / $2 - 1 }' | median)
        fact "$name --budget $budget%: error of the total" "$(calc "$error * 100" 1) %"
        [ $budget = 10 ] || echo "${error#-}" >>errors
        compare_calls $budget seconds
    done
    compare_long_run
done
at_most "error of the total at --budget 5%, median over programs" "$(calc "$(median <errors) * 100" 1)" % 2
at_most "error of the total at --budget 5%, worst program" "$(calc "$(sort -g errors | tail -n 1) * 100" 1)" % 5
