# Calls beside the truth: lines "TRUE REPORTED UNCERTAINTY NAME". Behind medians.awk.
# Variable `least`: functions of fewer calls are left out.
# Prints "outside functions many error": functions whose true N is not in the interval, all, those above a million calls, and the
# median of their errors in %.
$1 < least { next }
{
    functions++
    outside += size($1 - $2) > $3
    if ($1 > 1e6) { many++; add("error", 100 * size($2 / $1 - 1)) }
}
END { printf "%d %d %d %.4f\n", outside, functions, many, (many ? median_of("error") : 0) }
