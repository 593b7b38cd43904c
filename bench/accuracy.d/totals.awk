# The figures of one program in one build, and its row of the table, from the lines of runs (see totals.sh).
# Given: program, build.

function median(values, count,    i, j, value) {
    for (i = 2; i <= count; i++) {
        value = values[i]
        for (j = i - 1; j > 0 && values[j] > value; j--) values[j + 1] = values[j]
        values[j + 1] = value
    }
    # Sorted now, which quartile() relies on.
    return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}

function quartile(values, count, which,    at, low) {
    at = 1 + (count - 1) * which / 4
    low = int(at)
    return low < count ? values[low] + (at - low) * (values[low + 1] - values[low]) : values[count]
}

function emit(key, value) {
    print "totals", program, build, key, value
}

# Errors of a method: in each round against the truth of that round. False: it was not run.
function errors_of(method, column,    i, round, count, percent, each, truth) {
    for (i = 1; i <= lines; i++) {
        if (of_method[i] != method) continue
        round = of_round[i]
        truth = plain_sum[round] / plain_count[round]
        count++
        percent[count] = 100 * (value[i, column] / truth - 1)
        each[count] = (value[i, column] - truth) / value[i, CALLS]
    }
    if (!count) return 0
    error_percent = median(percent, count)
    error_each = median(each, count)
    return 1
}

function emit_errors(name, method, column) {
    if (!errors_of(method, column)) {
        row = row sprintf(" %8s %7s", "-", "-")
        return
    }
    emit(name "_error_percent", sprintf("%.3f", error_percent))
    emit(name "_error_ns_per_call", sprintf("%.4f", error_each))
    row = row sprintf(" %8.2f %7.2f", error_percent, error_each)
}

BEGIN { WALL = 5; RAW = 6; COMPENSATED = 7; UNCERTAINTY = 8; CALLS = 9 }

$1 == program && $2 == build {
    if ($4 == "plain") {
        plain[++plains] = $WALL
        if (++seen[$3] == 2 && pair_first[$3] > 0) pair_error[++twins] = 100 * ($WALL / pair_first[$3] - 1)
        pair_first[$3] = $WALL
        plain_sum[$3] += $WALL
        plain_count[$3]++
        next
    }
    lines++
    of_round[lines] = $3
    of_method[lines] = $4
    for (i = WALL; i <= CALLS; i++) value[lines, i] = $i
}

END {
    truth = median(plain, plains)
    spread = 100 * (quartile(plain, plains, 3) - quartile(plain, plains, 1)) / 2 / truth
    emit("t_ns", sprintf("%.0f", truth))
    emit("t_spread_percent", sprintf("%.3f", spread))
    for (i = 1; i <= lines; i++) {
        if (of_method[i] == "default") {
            defaults++
            width[defaults] = 100 * value[i, UNCERTAINTY] / truth
            distance = value[i, COMPENSATED] - truth
            inside += (distance < 0 ? -distance : distance) <= value[i, UNCERTAINTY]
            default_wall[of_round[i]] = value[i, WALL]
        }
        if (of_method[i] == "split") {
            calls = value[i, CALLS]
            full_raw[++fulls] = value[i, RAW]
            split_wall[of_round[i]] = value[i, WALL]
        }
    }
    for (round in default_wall) if (round in split_wall) added[++pairs] = (default_wall[round] - split_wall[round]) / calls
    dilation = median(full_raw, fulls) / truth
    half_width = median(width, defaults)
    # The control: the second uninstrumented run of a round in the place of a method that is always right.
    for (i = 1; i <= plains; i++) {
        distance = 100 * (plain[i] / truth - 1)
        control += (distance < 0 ? -distance : distance) <= half_width
    }
    emit("control_error_percent", sprintf("%.3f", median(pair_error, twins)))
    emit("control_inside", control + 0 " " plains)
    emit("calls", sprintf("%.0f", calls))
    emit("dilation", sprintf("%.3f", dilation))
    emit_errors("raw", "split", RAW)
    emit_errors("paper", "paper", COMPENSATED)
    emit_errors("tau", "tau", COMPENSATED)
    emit_errors("split", "split", COMPENSATED)
    emit_errors("default", "default", COMPENSATED)
    emit("default_half_width_percent", sprintf("%.3f", half_width))
    emit("default_inside", inside + 0 " " defaults)
    emit("default_added_ns_per_call", sprintf("%.3f", median(added, pairs)))
    printf "  %-15s %8.4f %5.2f %8.2f %8.2f%s %8.2f %7s\n", build, truth / 1e9, spread, calls / 1e6, dilation, row, half_width,
        inside + 0 "/" defaults
}
