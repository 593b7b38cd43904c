# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Threads do not slow each other down: CPU time a call of eight threads on these processors, and of one.

figure "8 threads all calling, against one ($(nproc) processors; CPU time a call)"
"$programs/bench_calling_threads_full" $((repeat * 2 + 1)) >full
"$programs/bench_calling_threads_empty" $((repeat * 2 + 1)) >empty
fact "one thread, full hooks" "$(value_of full one_median)" "ns (best $(value_of full one_best))"
fact "eight threads, full hooks" "$(value_of full many_median)" "ns (best $(value_of full many_best))"
fact "eight / one with empty hooks: the machine's own" \
    "$(calc "$(value_of empty many_median) / $(value_of empty one_median)")" x
at_most "eight / one, medians" "$(calc "$(value_of full many_median) / $(value_of full one_median)")" x 1.1
