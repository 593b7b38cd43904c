# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Random kill -9 of processes that record some 100 million events (on an idle machine; half an hour for 100 kills). What they
# leave has every call that had returned, so it is readable up to the last one, some 100 ns before the kill.

runs=$((kills < 100 ? kills : 100))
figure "$runs runs of 6 s, killed at random in their first 9 s"
mkdir -p data
status=0
PCOMP_OPTIONS=--trace "$programs/bench_kill_runner" "$runs" "$pcomp" "$programs/bench_kill_target_full" "$PWD/data" 6000 \
    >totals 2>problems || status=$?
[ $status -le 1 ] && [ -s totals ] || { cat problems >&2; die "kill_runner: failed"; }
grep '^kill_runner' problems | head -n 5 | sed 's/^/    /' || true
fact "killed, ended before the kill, killed before main" "$(value_of totals killed)" \
    "$(value_of totals finished) $(value_of totals before_main)"
fact "events a run, mean" "$(calc "$(value_of totals calls) * 2 / 1e6 / $runs" 0)" million
at_most "pcomp report failed" "$(value_of totals report_failed)" runs 0
at_most "completed calls lost" "$(value_of totals lost_calls)" calls 0
at_most "runs with any count wrong" "$(value_of totals wrong_count)" runs 0
