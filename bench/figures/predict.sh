# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Predicted cost against timed cost (Hollingsworth and Miller 1996, Figures 4 and 5): by the program's functions alone, by an
# earlier profile (one run in mode auto), and by the first 100 ms of the run.

# shellcheck source=bench/cost_degrees.sh
. "$here/cost_degrees.sh"
figure "predicted cost: C_time = T_m - T and C_pred, % of T; CPU seconds, least of $repeat rounds; paper: static, -118 to +17 %"
prepare_degrees
measure_degrees "$repeat"

# predict_options DEGREE: the same, for pcomp predict
predict_options() {
    case $1 in
    main) echo "--only main" ;;
    auto | full) echo "--mode $1" ;;
    esac
}

# predicted DEGREE KEY ARGUMENTS...
predicted() {
    local degree=$1 key=$2
    shift 2
    "$pcomp" predict $(predict_options $degree) --format json "$@" 2>/dev/null | json_value "$key"
}

# percent_of T: nanoseconds on standard input, in % of T seconds; nothing where there are none
percent_of() {
    awk -v t=$1 '{ printf "%.2f", $1 / 1e7 / t }'
}

# predicted_at_start PROGRAM DEGREE: by the first 100 ms, with what is paid once, ns; nothing of a run too short
predicted_at_start() {
    program_task $1 long
    rm -rf data data.old start.json
    "$pcomp" predict $(predict_options $2) --from start --data data --format json -o start.json -- $foremost \
        "$(binary_of_degree $1 $2)" "${arguments[@]}" <"$input" >/dev/null 2>stderr.txt || true
    [ ! -s start.json ] || tr -d '\n' <start.json | sed 's/.*"kind": "all", "predicted": \([-0-9.e+]*\),.*/\1/'
}

printf '  %-9s %-8s %9s %10s %10s %10s   %s\n' program degree 'C_time %' static profile start 'less C_time: static profile start'
: >predictions
while read -r program degree plain measured _; do
    of_static=$(predicted $degree cost.percent --from static -- "$(binary_of_degree $program $degree)")
    profile=$results_dir/$program.data
    if [ $degree = advised ]; then # another binary
        run_degree $program advised
        profile=data
    fi
    # times, since a share is of a wall time in which others may have had the processor
    of_profile=$(predicted $degree cost.total "$profile" | percent_of $plain)
    of_start=$(predicted_at_start $program $degree | percent_of $plain)
    awk -v p=$program -v d=$degree -v t=$plain -v m=$measured -v s=$of_static -v f=$of_profile -v e="${of_start:--}" '
        function less(x) { return x == "-" ? "-" : sprintf("%+.1f", x - cost) }
        BEGIN {
            cost = 100 * (m - t) / t
            printf "  %-9s %-8s %9.1f %10.1f %10.1f %10s   %s %s %s\n", p, d, cost, s, f, e == "-" ? e : sprintf("%.1f", e),
                less(s), less(f), less(e)
            print p, d, cost, s, f, e >>"predictions" }'
done <"$results_dir/degrees"

# off COLUMN LEAST MOST: |predicted - C_time| in % of T, of costs in that range.
off() {
    awk -v c=$1 -v least=$2 -v most=$3 '$c != "-" && $3 >= least && $3 < most {
        d = $c - $3; printf "%.2f\n", d < 0 ? -d : d }' predictions
}
worst() {
    sort -g | tail -n 1
}
for range in "-100 10" "10 100000"; do
    read -r least most <<<"$range"
    what="cost of 10 % and more"
    [ $most != 10 ] || what="cost under 10 %"
    fact "$what: by functions alone, off by, median, worst" "$(off 4 $least $most | median)" "$(off 4 $least $most | worst) % of T"
    fact "$what: by an earlier profile, off by, median, worst" "$(off 5 $least $most | median)" "$(off 5 $least $most | worst) % of T"
    fact "$what: by the first 100 ms, off by, median, worst" "$(off 6 $least $most | median)" "$(off 6 $least $most | worst) % of T"
done
