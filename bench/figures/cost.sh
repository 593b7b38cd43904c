# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Observed cost against timed cost (Hollingsworth and Miller 1996, Figures 2 and 3): what pcomp report --view cost says
# measuring took, and what it took: the CPU time of the process with it, less that without.

# shellcheck source=bench/cost_degrees.sh
. "$here/cost_degrees.sh"
figure "observed cost: C_obs by pcomp, C_time = T_m - T; CPU seconds, least of $repeat rounds; paper: within 5 % of T, 2 % typical"
prepare_degrees
measure_degrees "$repeat"

printf '  %-9s %-8s %8s %8s %9s %8s %9s %8s %11s %8s\n' program degree T T_m C_time % C_obs % 'differ, %' 'noise %'
while read -r program degree plain measured observed noise; do
    awk -v p=$program -v d=$degree -v t=$plain -v m=$measured -v o=$observed -v n=$noise 'BEGIN {
        printf "  %-9s %-8s %8.3f %8.3f %9.3f %8.1f %9.3f %8.1f %+11.1f %8.1f\n",
            p, d, t, m, m - t, 100 * (m - t) / t, o, 100 * o / t, 100 * (m - t - o) / t, 100 * n / t }'
done <"$results_dir/degrees"

# differences LEAST MOST: |C_time - C_obs| in % of T, of runs whose timed cost is between so many percent of T.
differences() {
    awk -v least=$1 -v most=$2 '{
        cost = 100 * ($4 - $3) / $3; differ = 100 * ($4 - $3 - $5) / $3; if (differ < 0) differ = -differ
        if (cost >= least && cost < most) printf "%.2f\n", differ }' "$results_dir/degrees"
}
worst() {
    sort -g | tail -n 1
}
at_most "runs with a cost under 10 %: difference, median" "$(differences -100 10 | median)" "% of T" 1
at_most "runs with a cost under 10 %: difference, worst" "$(differences -100 10 | worst)" "% of T" 5
fact "runs with a cost of 10 to 50 %: difference, median, worst" \
    "$(differences 10 50 | median)" "$(differences 10 50 | worst) % of T"
fact "runs with a cost above 50 %: difference, median, worst" \
    "$(differences 50 100000 | median)" "$(differences 50 100000 | worst) % of T"
