# shellcheck shell=bash disable=SC2046,SC2086,SC2154
# A part of bench/accuracy: kernels of known cost. Error of each function's compensated time, inclusive and exclusive, a call.
#
# The truth of a function is what it takes in the uninstrumented build of the same source, from calls in a loop between two
# clock reads (bench/programs/cost_kernels.c). Each kernel runs in turns, truth and profile; medians of the runs are compared.
# "A call" in the error: every call whose measuring is contained in the time, so N + M for inclusive, N + L for exclusive time.
#
# Appends: kernels KERNEL BUILD inclusive|exclusive FUNCTION TRUTH_NS RAW_NS COMPENSATED_NS ERROR_NS ERROR_PERCENT pass|MISS
#          kernels KERNEL BUILD within FIGURES_WITHIN FIGURES RAW_WITHIN WORST_ERROR_NS        (1 ns a call, or 2 %; the worst of the others)

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
    $foremost "$kernels_dir/$1/plain" --truth "$2" >>"$to.truth"
    run_undisturbed instr "$pcomp" record -o data -- "$kernels_dir/$1/instr" "$2" 2>"$to.messages" ||
        { cat "$to.messages" >&2; die "kernels: $2, $1: the measured program failed"; }
    "$pcomp" report data --view flat --format json >report.json
    "$programs/bench_report_value" functions report.json >>"$to.profile"
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
        awk -f "$parts_dir/medians.awk" -f "$parts_dir/kernels.awk" kernel="$kernel" build="$build" "$build/$kernel.truth" \
            "$build/$kernel.profile" >judged
        cat judged >>"$figures"
        awk '$4 == "within" { printf "  %-10s %-14s %4d of %4d within; worst error %8.2f ns a call; raw: %d within\n", $2, $3, $5, $6,
                $8, $7 }
            $4 != "within" && $11 == "MISS" && ++shown <= 4 {
                printf "  %-10s   %-12s %-10s truth %11.2f  raw %11.2f  compensated %11.2f ns  error %7.2f ns a call\n", "", $5, $4,
                    $6, $7, $8, $9 }' judged
    done
done
