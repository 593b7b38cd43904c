# shellcheck shell=bash disable=SC2154,SC1091
# The replay alone, in memory: events a second, and how that goes with the number of events and of locations.

# rate MODEL PROGRAM LOCATIONS EVENTS: million events a second of processor time, best of five.
rate() {
    "$programs/bench_replay_scaling" "$@" >scaling.txt
    value_of scaling.txt rate_best
}

# at_least NAME VALUE UNIT GOAL
at_least() {
    holds "$1" "$2" ">= $4 $3" "$(awk -v value="$2" -v goal="$4" 'BEGIN { print (value >= goal) ? "yes" : "no" }')"
}

figure "replay in memory: simulated programs, blocks of 64 KiB handed over and taken back"
at_least "time-based, 64 locations, events/s" "$(rate time calls 64 4000000)" million 60
fact "time-based, events of synchronisation too, 16 and 32 bytes" "$(rate time threads 64 1000000)" "million/s"
at_least "event-based, threads, 64 locations, events/s" "$(rate event threads 64 1000000)" million 15
fact "of these events are dependent" "$(value_of scaling.txt dependent_percent)" "%"
at_least "event-based, messages, 64 locations, events/s" "$(rate event messages 64 1000000)" million 15
fact "of these events are dependent" "$(value_of scaling.txt dependent_percent)" "%"
few=$(rate event messages 64 500000)
many=$(rate event messages 64 4000000)
at_most "linear in events (messages): time an event, 4 million / 500,000" "$(calc "$few / $many")" x 1.25
for program in threads messages; do
    first=
    for locations in 2 8 64 512 4096; do
        speed=$(rate event $program $locations 1000000)
        first=${first:-$speed}
        fact "event-based, $program, $locations locations" "$speed" "million/s"
    done
    at_most "logarithmic in locations ($program): time an event, 4096 / 2" "$(calc "$first / $speed")" x 12
done
