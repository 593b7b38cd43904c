# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# What a process pays before its first call, calibration included, and what it pays when no hook fires.

figure "start-up"
runs=$((repeat * 10))
"$programs/bench_spawn_times" $runs PCOMP_DATA="$PWD/full-{}" "$programs/bench_first_call_full" -- \
    "$programs/bench_first_call_empty" >first
read -r full_wall _ full_cpu _ full_first _ <<<"$(sed -n 1p first)"
read -r empty_wall _ empty_cpu _ empty_first _ <<<"$(sed -n 2p first)"
at_most "until after the first call, calibration included (full - empty)" \
    "$(calc "($full_first - $empty_first) / 1000" 2)" ms 20
fact "whole process with one call, exit included (full - empty)" "$(calc "($full_wall - $empty_wall) / 1000" 2)" \
    "ms (CPU $(calc "($full_cpu - $empty_cpu) / 1000" 2) ms)"
rm -rf full-*

# true(1) calls no hook: with the library preloaded it must stay as it is.
runs=$((repeat * 60))
"$programs/bench_spawn_times" $runs PCOMP_DATA="$PWD/untouched" LD_PRELOAD="$lib" true -- LD_PRELOAD="$nop" true -- \
    LD_PRELOAD="$nop" true >idle 2>idle.messages
read -r full_wall full_best full_cpu _ <<<"$(sed -n 1p idle)"
read -r empty_wall empty_best empty_cpu _ <<<"$(sed -n 2p idle)"
read -r again_wall _ again_cpu _ <<<"$(sed -n 3p idle)"
untouched=no
[ ! -e untouched ] && [ ! -s idle.messages ] && untouched=yes
holds "no hook fires: nothing created, nothing printed" $untouched yes $untouched
fact "no hook fires: wall time beside preloading empty hooks" "$(calc "$full_wall - $empty_wall" 1)" \
    "us of $empty_wall (best $(calc "$full_best - $empty_best" 1); empty against itself $(calc "$again_wall - $empty_wall" 1))"
at_most "no hook fires: CPU time beside preloading empty hooks" "$(calc "($full_cpu - $empty_cpu) / 1000" 3)" \
    "ms" 0.1
fact "the same, empty hooks against themselves" "$(calc "($again_cpu - $empty_cpu) / 1000" 3)" ms
if command -v valgrind >/dev/null; then
    LD_PRELOAD=$lib valgrind --tool=callgrind --callgrind-out-file=idle.callgrind "$(command -v true)" >idle.log 2>&1
    callgrind_annotate --threshold=100 --show-percs=no idle.callgrind >idle.annotated
    fact "no hook fires: instructions executed in libpcomp" \
        "$(awk '/libpcomp\.so/ && $1 ~ /^[0-9,]+$/ { gsub(",", "", $1); sum += $1 } END { print sum + 0 }' idle.annotated)"
fi
