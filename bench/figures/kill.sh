# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Random kill -9 where every call is timed: no completed call is lost, and the time of main lasts until the kill.

figure "$kills runs killed at random (in start-up, in hooks, at exit)"
mkdir -p data
status=0
export PCOMP_OPTIONS="--mode full"
"$programs/bench_kill_runner" "$kills" "$pcomp" "$programs/bench_kill_target_full" "$PWD/data" >totals 2>problems ||
    status=$?
[ $status -le 1 ] && [ -s totals ] || { cat problems >&2; die "kill_runner: failed"; }
grep '^kill_runner' problems | head -n 5 | sed 's/^/    /' || true
fact "killed, ended before the kill, killed before main" "$(value_of totals killed)" \
    "$(value_of totals finished) $(value_of totals before_main)"
fact "of the last, without a profile yet (report says so)" "$(value_of totals no_profile)"
at_most "pcomp report failed" "$(value_of totals report_failed)" runs 0
at_most "completed calls lost" "$(value_of totals lost_calls)" calls 0
at_most "runs with any count wrong" "$(value_of totals wrong_count)" runs 0
at_most "main's inclusive time against the last sign of life, worst" \
    "$(calc "$(value_of totals worst_alive_us) / 1000")" ms 1
fact "against the kill, where the program ran in the last 1 ms, worst" \
    "$(calc "$(value_of totals worst_kill_us) / 1000")" "ms ($(value_of totals kill_compared) runs)"
