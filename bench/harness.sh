# shellcheck shell=bash disable=SC2034,SC2015
# Shared by bench/run, which sources it, and the figures, which it sources in turn. Bash.
#
# Sets: root (source tree), build (build tree), work (scratch), lib (libpcomp.so), nop (libpcomp-nop.so), pcomp (the
# command), programs (folder of the bench programs). A figure works in $work/run/NAME, which is new and empty.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${PCOMP_BUILD_DIR:-$root/build}
work=${PCOMP_BENCH_DIR:-$root/build/bench-work}
programs=$build/bench
results=$work/results

die() {
    echo "bench: $1" >&2
    exit 1
}

build_everything() {
    mkdir -p "$build" "$work"
    [ -e "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" >"$work/build.log" 2>&1 ||
        { cat "$work/build.log" >&2; die "cmake: could not configure $build"; }
    cmake --build "$build" -j "$(nproc)" --target pcomp bench >"$work/build.log" 2>&1 ||
        { tail -n 30 "$work/build.log" >&2; die "cmake: could not build $build"; }
    lib=$build/lib/libpcomp.so
    nop=$build/lib/libpcomp-nop.so
    pcomp=$build/bin/pcomp
    [ -f "$lib" ] && [ -f "$nop" ] && [ -x "$pcomp" ] || die "$build: has no libpcomp.so, libpcomp-nop.so and pcomp"
}

machine_facts() {
    local governor=/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
    echo "machine  $(awk -F': ' '/^model name|^Model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors," \
        "$(uname -m), $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GiB"
    echo "kernel   $(uname -r), clock source" \
        "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null || echo unknown)," \
        "invariant TSC $(grep -qw nonstop_tsc /proc/cpuinfo && echo yes || echo no)," \
        "$(grep -qw hypervisor /proc/cpuinfo && echo virtual machine || echo no hypervisor)," \
        "governor $(cat $governor 2>/dev/null || echo none)"
    echo "compiler $(cc --version | head -n 1)"
    echo "load     $(cut -d' ' -f1-3 /proc/loadavg) (other work on the machine disturbs figures)"
}

# stolen: how long so far the host of this virtual machine let others have its processors, in ticks of 10 ms; 0 if it does not tell.
stolen() {
    awk '$1 == "cpu" { print $9 + 0 }' /proc/stat 2>/dev/null || echo 0
}

# --- Results ---

# figure TEXT: starts a group of rows.
figure() {
    printf '\n%s\n' "$1"
}

# fact NAME VALUE [UNIT]: a row without a goal.
fact() {
    printf '  %-58s %10s %s\n' "$1" "$2" "${3:-}"
}

# at_most NAME VALUE UNIT GOAL: a row that passes when VALUE <= GOAL.
at_most() {
    local verdict
    verdict=$(awk -v value="$2" -v goal="$4" 'BEGIN { print (value != "" && value + 0 <= goal + 0) ? "pass" : "MISS" }')
    printf '  %-58s %10s %-12s goal <= %-8s %s\n' "$1" "$2" "$3" "$4" "$verdict"
    echo "$verdict $1" >>"$results"
}

# holds NAME VALUE TEXT YES: a row that passes when YES is "yes".
holds() {
    local verdict=MISS
    [ "$4" != yes ] || verdict=pass
    printf '  %-58s %10s %-12s goal %-11s %s\n' "$1" "$2" "" "$3" "$verdict"
    echo "$verdict $1" >>"$results"
}

# --- Arithmetic ---

# calc EXPRESSION [DIGITS]: awk arithmetic.
calc() {
    awk "BEGIN { printf \"%.${2:-3}f\", $1 }"
}

# value_of FILE KEY: the value of a "KEY VALUE" line.
value_of() {
    awk -v key="$2" '$1 == key { print $2; exit }' "$1"
}

# median / best: of the numbers on standard input, one a line.
median() {
    sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
best() {
    sort -g | head -n 1
}

# samples FILE LABEL COLUMN: one column (2 user, 3 system, 4 wall, 5 peak KiB) of timed_run's lines of LABEL.
samples() {
    awk -v label="$2" -v column="$3" '$1 == label { print $column }' "$1"
}

# bytes_in DIR: bytes of the profile files of a data directory.
bytes_in() {
    find "$1" -name '*.pcomp' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'
}
