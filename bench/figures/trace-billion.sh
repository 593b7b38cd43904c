# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# A billion events, recorded once and replayed; takes 32 GB on the disk.

figure "a billion events of one process: recorded, read, replayed"
megabytes=16000
room=$(df --output=avail -B1M . | tail -n 1)
[ $room -gt $((megabytes * 21 / 10)) ] || die "needs $((megabytes * 21 / 10000)) GB on the disk of $PWD, which has $((room / 1000)); PCOMP_BENCH_DIR is where it works"
PCOMP_OPTIONS=--trace "$programs/bench_trace_rate_full" $megabytes >rate
made=$(value_of rate events)
fact "an event, wall clock, over a bare clock read" "$(value_of rate ratio_wall)" x
"$programs/bench_timed_run" times replay "$pcomp" replay "$PCOMP_DATA" -o out --format json >summary.json
value() {
    "$programs/bench_report_value" get summary.json $1
}
# The program counts calls of the function that it measures; main, the thread's begin and end are events, too.
replayed=$(printf %.0f "$(value events)")
fact "events recorded, and replayed" "$made, $replayed"
complete=no
[ $replayed -lt $made ] || [ $made -lt 1000000000 ] || complete=yes
holds "all of them, and a billion" $complete yes $complete
at_most "events lost" "$(calc "$(value lost_events)" 0)" events 0
at_most "violations" "$(calc "$(value violations)" 0)" "" 0
at_most "memory of the replay" "$(calc "$(samples times replay 5 | median) / 1024" 0)" MiB 256
fact "replay" "$(calc "$(value events) / 1e6 / $(samples times replay 4 | best)" 1)" "million events/s"
rm -rf "$PCOMP_DATA" out
