# Errors of the functions of one kernel (kernels.sh). With medians.awk.
#
#   kernels.awk kernel=... build=... TRUTH PROFILES
#
# TRUTH: "NAME inclusive exclusive", ns a call; PROFILES: "N M L raw-inclusive raw-exclusive compensated-inclusive
# compensated-exclusive NAME", of several runs each.

# Is the error good, of which `calls` calls have a part?
function good(error, truth, calls) { return size(error) <= calls || size(error) <= 0.02 * truth }

# One time of an activation of the function, in which `calls` calls are measured.
function judge(what, name, calls,    truth, raw, compensated, error, verdict) {
    truth = median_of("truth " what " " name)
    raw = median_of("raw " what " " name)
    compensated = median_of("compensated " what " " name)
    error = compensated - truth
    verdict = good(error, truth, calls) ? "pass" : "MISS"
    figures++
    within += verdict == "pass"
    raw_within += good(raw - truth, truth, calls)
    if (verdict == "MISS" && size(error / calls) > size(worst)) worst = error / calls
    printf "kernels %s %s %s %s %.3f %.3f %.3f %.3f %.2f %s\n", kernel, build, what, name, truth, raw, compensated,
        error / calls, (truth > 0 ? 100 * error / truth : 0), verdict
}

FNR == 1 { file++ }
file == 1 {
    if (!($1 in known)) order[++names] = $1
    known[$1] = 1
    add("truth inclusive " $1, $2)
    add("truth exclusive " $1, $3)
    next
}
$8 in known {
    # Of the recursion, 50 deep, inclusive time is that of the outermost activations.
    outermost = $8 == "recursion" ? $1 / 50 : $1
    add("raw inclusive " $8, $4 / outermost)
    add("raw exclusive " $8, $5 / $1)
    add("compensated inclusive " $8, $6 / outermost)
    add("compensated exclusive " $8, $7 / $1)
    inside[$8] = $8 == "recursion" ? 50 : 1 + $2 / $1
    direct[$8] = 1 + $3 / $1
}

END {
    for (i = 1; i <= names; i++) {
        if (!(order[i] in inside)) {
            print "kernels: " order[i] ", " build ": not in the profile" >"/dev/stderr"
            exit 1
        }
        judge("inclusive", order[i], inside[order[i]])
        judge("exclusive", order[i], direct[order[i]])
    }
    printf "kernels %s %s within %d %d %d %.3f\n", kernel, build, within, figures, raw_within, worst
}
