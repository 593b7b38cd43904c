# shellcheck shell=bash disable=SC2086,SC2154
# A part of bench/accuracy: exclusive shares against the sampled uninstrumented program, by total variation distance.
#
# `pcomp verify --truth sampled` does the work, with its own pooling of samples; the floor is the distance of the truth's two
# halves from each other.
#
# Appends: distribution PROGRAM BUILD distance RAW_POINTS COMPENSATED_POINTS FLOOR_POINTS SAMPLES pass|MISS
#   pass: compensated is at most 5 points, and at most a fifth of raw where raw is above 10
# and of runs of some ten seconds that are measured with --budget 5%
#   distribution5 PROGRAM BUILD distance RAW_POINTS COMPENSATED_POINTS FLOOR_POINTS SAMPLES pass|MISS
#   pass: compensated is at most 3 points

pairs=$((runs < 3 ? runs : 3))

# shell_command BINARY: what sh is to run, the program's task included.
shell_command() {
    printf '%q ' "$1" "${arguments[@]}"
    printf '<%q' "$input"
}

# compare_shares FIGURE POINTS PROGRAM BUILD [OPTION...]
compare_shares() {
    local line figure=$1 points=$2
    shift 2
    progress "$1 $2: sampling"
    rm -f verify.json
    $foremost "$pcomp" verify -n $pairs "${@:3}" --truth sampled --format json --plain "$(shell_command "$(binary_of $1 $2 plain)")" \
        --instrumented "$(shell_command "$(binary_of $1 $2 instr)")" >verify.json 2>messages ||
        { tail -n 5 messages >&2; die "pcomp verify: $1, $2: failed"; }
    line=$("$programs/bench_report_value" get verify.json sampled.distance_raw_points sampled.distance_compensated_points \
        sampled.floor_points sampled.samples | paste -sd' ')
    awk -v figure=$figure -v points=$points -v line="$1 $2" '{ good = $2 <= points && (points < 5 || $1 <= 10 || $2 <= $1 / 5)
        printf "%s %s distance %.2f %.2f %.2f %d %s\n", figure, line, $1, $2, $3, $4, good ? "pass" : "MISS" }' <<<"$line" >judged
    cat judged >>"$figures"
    awk '{ printf "  %-10s %-15s raw %6.2f  compensated %6.2f  points (floor of the truth %5.2f, %d samples)  %s\n", $2, $3, $5, $6,
        $7, $8, $9 }' judged
}

figure "distribution: distance of the exclusive shares from the sampled uninstrumented program"
if ! command -v perf >/dev/null || ! perf record -q -e cpu-clock -o probe true 2>/dev/null; then
    fact "not measured: perf cannot sample here" "" "(apt-get install linux-perf; run as root)"
    return 0
fi
for program in $chosen_programs; do
    program_task $program long
    for build in $chosen_builds; do
        # One build before and one after inlining: sampling takes its time.
        case $build in gcc-O2 | clang-after-O2) compare_shares distribution 5 $program $build ;; esac
    done
done
figure "the same with --budget 5%, runs of some ten seconds (goal: 3 points)"
for program in $chosen_programs; do
    program_task $program tens
    [ ${#arguments[@]} -gt 0 ] || continue # it has no such task
    for build in $chosen_builds; do
        case $build in gcc-O2 | clang-after-O2) compare_shares distribution5 3 $program $build --budget 5% ;; esac
    done
done
