# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# How fast pcomp replay is, from files in the page cache to files, profiles included, and what memory it takes.

# make NAME LOCATIONS MEGABYTES CALLS: traces in ./NAME, read once; sets events.
make() {
    mkdir "$1"
    printf 'pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n' >"$1/run"
    events=$("$programs/bench_big_trace" "$1" "$2" "$3" "$4" | cut -d' ' -f2)
    cat "$1"/*.trace | wc -c >/dev/null
}
# cpu_rate LABEL, wall_rate LABEL: million events a second of processor time (what one core does), or on all of them;
# best of the runs.
cpu_rate() {
    calc "$events / 1e6 / $(awk -v label="$1" '$1 == label { print $2 + $3 }' times | best)" 1
}
wall_rate() {
    calc "$events / 1e6 / $(samples times "$1" 4 | best)" 1
}
# at_least NAME VALUE GOAL
at_least() {
    holds "$1" "$2" ">= $3" "$(awk -v value="$2" -v goal="$3" 'BEGIN { print (value + 0 >= goal + 0) ? "yes" : "no" }')"
}
replay() {
    "$programs/bench_timed_run" times "$1" "$pcomp" replay "$1" -o out --model "$2" >summary
    rm -rf out out.old
}

megabytes=$((gigabytes * 1000))
figure "pcomp replay, $gigabytes GB of events of 16 bytes in the page cache, writing included"
make two 2 $megabytes 0
for _ in $(seq 3); do
    "$programs/bench_timed_run" times copy sh -c 'cat two/*.trace >copied'
    rm copied
    replay two time
done
fact "copying, one core" "$(cpu_rate copy)" "million events/s"
goal=$(awk -v copy="$(cpu_rate copy)" 'BEGIN { printf "%.1f", (copy / 4 < 60) ? copy / 4 : 60 }')
at_least "time-based, one core, million events/s (60, or 1/4 of copying)" "$(cpu_rate two)" "$goal"
fact "time-based, all cores" "$(wall_rate two)" "million events/s"
at_most "memory, 2 locations" "$(calc "$(samples times two 5 | median) / 1024" 0)" MiB 256
rm -rf two

figure "pcomp replay, event-based, 64 locations that meet every 1000 calls"
make many 64 $megabytes 1000
for _ in $(seq 3); do
    replay many event
done
at_least "event-based, one core, million events/s" "$(cpu_rate many)" 15
fact "event-based, all cores" "$(wall_rate many)" "million events/s"
at_most "memory, 64 locations" "$(calc "$(samples times many 5 | median) / 1024" 0)" MiB 256
rm -rf many

figure "pcomp replay, event-based, 4096 locations that meet every 100 calls"
make wide 4096 $megabytes 100
replay wide event
fact "event-based, one core" "$(cpu_rate wide)" "million events/s"
at_most "memory, 4096 locations" "$(calc "$(samples times wide 5 | median) / 1024" 0)" MiB 256
rm -rf wide
