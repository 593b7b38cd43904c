# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# What a second thread brings pcomp replay, on two processors.

# Replays go before all other work: the wall time of two threads is compared with that of one.
foremost="chrt -f 1"
$foremost true 2>/dev/null || foremost=
threads=$(nproc)
[ "$threads" -lt 2 ] || threads=2

# make NAME LOCATIONS CALLS: traces in ./NAME, read once.
make() {
    mkdir "$1"
    printf 'pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n' >"$1/run"
    "$programs/bench_big_trace" "$1" "$2" $((gigabytes * 500)) "$3" >/dev/null
    cat "$1"/*.trace | wc -c >/dev/null
}
# total LABEL: processor time; wall LABEL. Best of the rounds.
total() {
    awk -v label="$1" '$1 == label { print $2 + $3 }' times | best
}
wall() {
    samples times "$1" 4 | best
}

# measure NAME LOCATIONS CALLS [GOAL]: each round replays in turns. Nothing is removed before the end: the file system
# is slow to create files where many were removed seconds ago.
measure() {
    make "$1" "$2" "$3"
    for round in $(seq 7); do
        for jobs in 1 $threads; do
            "$programs/bench_timed_run" times "$1-$jobs" $foremost "$pcomp" replay "$1" -o "out-$1-$round-$jobs" \
                --jobs "$jobs" >summary
        done
        # What the machine allows: two replays of one thread each, side by side.
        # shellcheck disable=SC2016
        "$programs/bench_timed_run" times "$1-pair" $foremost sh -c '"$1" replay "$2" -o "$3-a" --jobs 1 >/dev/null &
            "$1" replay "$2" -o "$3-b" --jobs 1 >/dev/null & wait' sh "$pcomp" "$1" "out-$1-$round"
    done
    cmp "out-$1-1-1/1000-0.0.trace" "out-$1-1-$threads/1000-0.0.trace" -i 64
    speedup=$(calc "$(wall "$1-1") / $(wall "$1-$threads")" 2)
    if [ -n "${4:-}" ]; then
        holds "$2 locations, meeting every $3 calls: times as fast" "$speedup" ">= $4" \
            "$(awk -v value="$speedup" -v goal="$4" 'BEGIN { print (value + 0 >= goal + 0) ? "yes" : "no" }')"
    else
        fact "$2 locations, meeting every $3 calls: times as fast" "$speedup"
    fi
    fact "  two replays of one thread side by side: times as fast" "$(calc "2 * $(wall "$1-1") / $(wall "$1-pair")" 2)"
    at_most "  processor time, of that with one" "$(calc "$(total "$1-$threads") / $(total "$1-1")" 2)" x 1.2
    fact "  memory, with one and with $threads" "$(calc "$(samples times "$1-1" 5 | median) / 1024" 0), $(
        calc "$(samples times "$1-$threads" 5 | median) / 1024" 0)" MiB
    rm -rf "$1" out-"$1"-*
}

figure "pcomp replay --jobs $threads against --jobs 1, event-based, files in the page cache to files"
[ "$threads" = 2 ] || echo "  (this machine has one processor)"
[ -n "$foremost" ] || echo "  (chrt -f 1 is not allowed here: other work on the machine disturbs this)"
measure few 64 1000 1.7
measure many 1024 1000 1.7
measure meeting 64 10
