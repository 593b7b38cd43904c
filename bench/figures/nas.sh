# shellcheck shell=bash disable=SC2154,SC2086
# The NAS benchmarks (2004, Table 1): error of main where every call is timed on its call path, and by default, beside
# what the program takes without measurement. NAS_DIR: NPB-SER of the C++ translation (GMAP/NPB-CPP), as bench/fetch nas
# leaves it. Medians of BENCH_ROUNDS rounds in turns.

nas=${NAS_DIR:-$work/src/nas/tree/NPB-SER}
[ -d "$nas/BT" ] || die "nas: no sources in $nas (bench/fetch nas, or NAS_DIR=DIR)"
rounds=${BENCH_ROUNDS:-5}
class=${BENCH_CLASS:-W}
cp -r "$nas" tree
make -s -C tree/sys all >make.log 2>&1 || die "nas: setparams does not build ($PWD/make.log)"

# nas_build KERNEL FORM FLAG...: kernel.FORM
nas_build() {
    local kernel=$1 form=$2 link=
    shift 2
    [ "$form" = plain ] || link="-L$build/lib -Wl,-rpath,$build/lib -Wl,--no-as-needed -lpcomp"
    (cd "tree/$(echo "$kernel" | tr a-z A-Z)" && ../sys/setparams "$kernel" "$class" &&
        g++ -std=c++14 -O3 -mcmodel=medium -I../common "$@" -o "../../$kernel.$form" "$kernel.cpp" \
            ../common/c_print_results.cpp ../common/c_timers.cpp ../common/c_randdp.cpp ../common/wtime.cpp -lm $link) \
        >>make.log 2>&1 || die "nas: $kernel.$form does not build ($PWD/make.log)"
}

# seconds_of COMMAND...: wall time
seconds_of() {
    local begin=$EPOCHREALTIME
    "$@" >out 2>&1
    calc "${EPOCHREALTIME/,/.} - ${begin/,/.}" 6
}

# compensated: total of the profile, seconds
compensated() {
    "$pcomp" report data --format json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["total"]["compensated"] / 1e9)'
}

# nas_round KERNEL: appends to KERNEL.times
nas_round() {
    local form mode
    echo "plain $(seconds_of ./$1.plain)" >>"$1.times"
    for form in hooks sleds; do
        for mode in full auto; do
            rm -rf data
            echo "$form.$mode $(seconds_of env PCOMP_DATA=data PCOMP_OPTIONS="--mode $mode" ./$1.$form) $(compensated)" >>"$1.times"
        done
    done
}

# column KERNEL LABEL COLUMN
column() {
    samples "$1.times" "$2" "$3" | median
}

# published KERNEL: error of main, call paths, of 2004 Table 1, percent (range where several sizes are given)
published() {
    [ "$1" = is ] && echo "-55.9" || echo "0.1 to 21.7"
}

figure "NAS class $class, median of $rounds rounds: error of main, percent (2004, call paths: 0.1 to 21.7; IS -55.9)"
printf '  %-6s %9s  %-24s %-24s %-24s %-24s\n' kernel "T, s" "hooks, each call" "hooks, default" "sleds, each call" \
    "sleds, default"
: >errors
for kernel in bt cg ep ft is lu mg sp; do
    nas_build $kernel plain
    nas_build $kernel hooks $("$pcomp" flags g++ --hooks)
    nas_build $kernel sleds $("$pcomp" flags g++)
    for ((i = 0; i < rounds; i++)); do nas_round $kernel; done
    plain=$(column $kernel plain 2)
    printf '  %-6s %9.3f ' "$(echo $kernel | tr a-z A-Z)" "$plain"
    for label in hooks.full hooks.auto sleds.full sleds.auto; do
        error=$(calc "100 * ($(column $kernel $label 3) / $plain - 1)" 1)
        printf ' %+6.1f (T_m / T %6.3f)   ' "$error" "$(calc "$(column $kernel $label 2) / $plain")"
        echo "$label ${error#-}" >>errors
    done
    printf '\n'
done
for label in hooks.full hooks.auto sleds.full sleds.auto; do
    at_most "$label: error of main, median" "$(samples errors $label 2 | median)" "%" 2
    at_most "$label: error of main, worst" "$(samples errors $label 2 | sort -g | tail -n 1)" "%" 5
done
