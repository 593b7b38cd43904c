# Goals and figures of a build, of the programs of a set: summary.awk build=... group=... set=... results=FILE GOALS FIGURES.tsv
#
# Behind medians.awk. A line a goal is printed; "pass" or "MISS" and its name are appended to the file `results`. The median is
# missed when that of the rows, each two standard errors nearer to 0, is beyond the goal; the worst row likewise. A row
# that was run once has no standard error: it is judged as it is.

BEGIN { rows = 0 }

function verdict(name, met) {
    print (met ? "pass " : "MISS ") set " " build " " name >>results
    return met ? "met" : "missed"
}

function line(text, value, goal, how, detail) {
    printf "  %-52s %9s  goal %-8s %-6s %s\n", text, value, goal, how, detail
}

FNR == 1 { file++ }
file == 1 {
    if ($1 == group) { goals++; figure[goals] = $2; median_goal[goals] = $3; worst_goal[goals] = $4 }
    next
}
FNR == 1 { FS = "\t"; $0 = $0 }
$2 == set && $3 == build {
    rows++
    n[$4]++
    program[$4, n[$4]] = $1
    value[$4, n[$4]] = $5
    error[$4, n[$4]] = ($6 < 1e6 ? $6 : 0)
    counted[$4, n[$4]] = $7
}

# Of a share, that of all that was counted; a share of runs may fall short by two of its standard errors.
function judge_pooled(g,    f, i, sum, all, share, slack, most) {
    f = figure[g]
    for (i = 1; i <= n[f]; i++) { sum += value[f, i] * counted[f, i] / 100; all += counted[f, i] }
    share = sum / all
    most = (f == "counts_outside")
    slack = f ~ /inside$/ ? 2 * sqrt(share * (1 - share) / all) : 0
    line(names[f], sprintf("%.1f %%", 100 * share), (most ? "<= " : ">= ") median_goal[g] " %",
        verdict(f, most ? 100 * share <= median_goal[g] : 100 * (share + slack) >= median_goal[g]), sprintf("of %d", all))
}

function judge(g,    f, i, v, nearer, worst, misses, key, missed) {
    f = figure[g]
    key = build " " f
    for (i = 1; i <= n[f]; i++) {
        v = size(value[f, i])
        nearer = v - 2 * error[f, i]
        add(key, v)
        add(key " nearer", nearer)
        if (!worst || v > size(value[f, worst])) worst = i
        if (worst_goal[g] != "-" && nearer > worst_goal[g]) { misses++; missed = missed " " program[f, i] }
    }
    if (median_goal[g] != "-")
        line(names[f] ", median", sprintf("%.3g", median_of(key)), median_goal[g],
            verdict(f " median", median_of(key " nearer") <= median_goal[g]), sprintf("of %d", n[f]))
    else
        line(names[f] ", median", sprintf("%.3g", median_of(key)), "-", "", sprintf("of %d", n[f]))
    if (worst_goal[g] != "-")
        line(names[f] ", worst", sprintf("%.3g", size(value[f, worst])), worst_goal[g], verdict(f " worst", !misses),
            program[f, worst] (misses ? "; beyond:" missed : ""))
    else
        line(names[f] ", worst", sprintf("%.3g", size(value[f, worst])), "-", "", program[f, worst])
}

END {
    if (!rows) exit
    names["wall_plain"] = "wall time / uninstrumented"
    names["processor_plain"] = "processor time / uninstrumented"
    names["wall_off"] = "wall time / T_off"
    names["processor_off"] = "processor time / T_off"
    names["error_percent_off"] = "error of the total against T_off, %"
    names["error_percent_plain"] = "error of the total against T, %"
    names["half_width"] = "half-width of the interval, %"
    names["inside"] = "runs whose interval holds T"
    names["shares"] = "shares, beyond 1.5 floors, points"
    names["shares_plain"] = "shares against uninstrumented, points"
    names["samplers"] = "shares: the timer less perf, same samples, points"
    names["counts_outside"] = "functions whose N is not in its interval"
    names["counts_many"] = "N above a million calls, error, %"
    names["full_error"] = "--mode full: error of the total, % of T_m - T"
    names["full_inside"] = "--mode full: runs whose interval holds T"
    names["traced_wall"] = "trace: run time over that with sites off"
    names["traced_error"] = "replayed trace: error of the total against T_off, %"
    names["traced_error_plain"] = "replayed trace: error of the total against T, %"
    names["traced_inside"] = "replayed trace: runs whose interval holds T"
    names["inclusive_within"] = "costliest functions within 5 %, inclusive"
    printf "\n%s, %s\n", build, (set == "design" ? "programs of the list" : "programs that came afterwards")
    for (g = 1; g <= goals; g++)
        if (n[figure[g]]) {
            if (worst_goal[g] == "pooled") judge_pooled(g)
            else judge(g)
        }
}
