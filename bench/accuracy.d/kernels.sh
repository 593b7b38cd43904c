# shellcheck shell=bash disable=SC2046,SC2086,SC2154
# A part of bench/accuracy: kernels of known cost. Error of each function's compensated time, inclusive and exclusive, a call.
#
# The truth of a function is what it takes in the uninstrumented build of the same source, from calls in a loop between two
# clock reads (bench/programs/cost_kernels.c). Each kernel runs in turns, truth and profile; medians of the runs are compared.
# "A call" in the error: every call whose measuring is contained in the time, so N + M for inclusive, N + L for exclusive time.
#
# Appends: kernels KERNEL BUILD inclusive|exclusive FUNCTION TRUTH_NS RAW_NS COMPENSATED_NS ERROR_NS ERROR_PERCENT pass|MISS
#          kernels KERNEL BUILD within FIGURES_WITHIN FIGURES WORST_ERROR_NS RAW_WITHIN (1 ns a call, or 2 %)

# shellcheck source=bench/accuracy.d/undisturbed.sh
. "$parts_dir/undisturbed.sh"

kernels_dir=$PWD
input=/dev/null
before_run() { rm -rf data data.old; }

build_kernel() {
    local compiler options
    mkdir -p "$kernels_dir/$1"
    build_flags "$1" plain
    $compiler $options -g -I"$root" "$root/bench/programs/cost_kernels.c" -o "$kernels_dir/$1/plain"
    build_flags "$1" instr
    $compiler $options -g -I"$root" "$root/bench/programs/cost_kernels.c" -o "$kernels_dir/$1/instr"
}

# run_kernel BUILD KERNEL: one truth and one profile, appended to BUILD/KERNEL.truth and .profile
run_kernel() {
    local to=$kernels_dir/$1/$2
    "$kernels_dir/$1/plain" --truth "$2" >>"$to.truth"
    run_undisturbed instr "$pcomp" record -o data -- "$kernels_dir/$1/instr" "$2" 2>"$to.messages" ||
        { cat "$to.messages" >&2; die "kernels: $2, $1: the measured program failed"; }
    "$pcomp" report data --view flat --format json >report.json
    "$programs/bench_report_value" functions report.json >>"$to.profile"
}

# judge_kernel BUILD KERNEL: the lines of one kernel
judge_kernel() {
    awk -v build="$1" -v kernel="$2" '
        function middle(key, n,    i, j, kept) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && value[key, j - 1] > value[key, j]; j--) {
                    kept = value[key, j]; value[key, j] = value[key, j - 1]; value[key, j - 1] = kept
                }
            return n % 2 ? value[key, (n + 1) / 2] : (value[key, n / 2] + value[key, n / 2 + 1]) / 2
        }
        function add(key, number) { value[key, ++count[key]] = number }
        function median_of(key) { return middle(key, count[key]) }
        function size(number) { return number < 0 ? -number : number }
        function good(error, truth) { return size(error) <= 1 || size(error) * share <= 0.02 * truth }
        # A time of a function, for each of its activations; calls: how many are measured in one.
        function judge(what, truth, raw, compensated, calls,    error, verdict) {
            share = calls
            error = (compensated - truth) / calls
            verdict = good(error, truth) ? "pass" : "MISS"
            within += verdict == "pass"
            raw_within += good((raw - truth) / calls, truth)
            if (size(error) > size(worst))
                worst = error
            figures++
            printf "kernels %s %s %s %s %.3f %.3f %.3f %.3f %.2f %s\n", kernel, build, what, name, truth, raw, compensated,
                error, (truth > 0 ? 100 * (compensated - truth) / truth : 0), verdict
        }
        FILENAME ~ /\.truth$/ { if (!($1 in seen)) { seen[$1] = 1; order[++names] = $1 }
            add("ti " $1, $2); add("te " $1, $3); next }
        $8 in seen {
            # Inclusive time is that of the outermost activations: of the recursion one in fifty.
            outer = $8 == "recursion" ? $1 / 50 : $1
            add("ri " $8, $4 / outer); add("re " $8, $5 / $1); add("ci " $8, $6 / outer); add("ce " $8, $7 / $1)
            inside[$8] = ($1 + ($8 == "recursion" ? 0 : $2)) / outer; direct[$8] = 1 + $3 / $1
        }
        END {
            for (i = 1; i <= names; i++) {
                name = order[i]
                if (!count["ri " name]) {
                    print "kernels: " kernel ", " build ": " name " is not in the profile" >"/dev/stderr"
                    exit 1
                }
                judge("inclusive", median_of("ti " name), median_of("ri " name), median_of("ci " name), inside[name])
                judge("exclusive", median_of("te " name), median_of("re " name), median_of("ce " name), direct[name])
            }
            printf "kernels %s %s within %d %d %.3f %d\n", kernel, build, within, figures, worst, raw_within
        }' "$kernels_dir/$1/$2.truth" "$kernels_dir/$1/$2.profile"
}

# No function here can be inlined: one build of each compiler.
figure "kernels of known cost: times within 1 ns a call or 2 % of the truth (medians of $runs runs)"
builds=$(printf '%s\n' $chosen_builds | awk -F- '!seen[$1]++')
for build in $builds; do
    build_kernel "$build"
done
for run in $(seq "$runs"); do
    for build in $builds; do
        for kernel in $(shuf -e $("$kernels_dir/$build/plain" --list)); do
            progress "kernels, $build, run $run of $runs: $kernel"
            run_kernel "$build" "$kernel"
        done
    done
done
progress ""
for build in $builds; do
    for kernel in $("$kernels_dir/$build/plain" --list); do
        judge_kernel "$build" "$kernel" >judged
        cat judged >>"$figures"
        awk '$4 == "within" { printf "  %-10s %-14s %4d of %4d within; worst error %8.2f ns a call; raw: %d within\n", $2, $3, $5, $6,
                $7, $8 }
            $4 != "within" && $11 == "MISS" && ++shown <= 4 {
                printf "  %-10s   %-12s %-10s truth %11.2f  raw %11.2f  compensated %11.2f ns  error %7.2f ns a call\n", "", $5, $4,
                    $6, $7, $8, $9 }' judged
    done
done
