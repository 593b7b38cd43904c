# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Memory that a thread touches which called a few functions and rests.

figure "memory of a thread at rest (1000 threads, each after a few calls)"
"$programs/bench_resting_threads_full" 1000 >full
"$programs/bench_resting_threads_empty" 1000 >empty
growth() {
    calc "($(value_of "$1" kib_now) - $(value_of "$1" kib_before)) / 1000" 2
}
fact "a thread with empty hooks" "$(growth empty)" KiB
fact "a thread with full hooks" "$(growth full)" KiB
at_most "touched for the profiler, a thread" "$(calc "$(growth full) - $(growth empty)" 2)" KiB 64
fact "profile file, a thread" "$(calc "$(bytes_in "$PCOMP_DATA") / 1024 / 1001" 2)" KiB
