# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# What hooks that time every call add to empty ones per call in real programs, where part of it hides behind the program's work.

. "$here/real_programs.sh"
prepare_programs

figure "(full - empty hooks) per call, against two bare clock reads (best of $repeat, interleaved)"
for name in lua sqlite3; do
    run_program $name instr long
    BENCH_COUNTS=counts.$name LD_PRELOAD=$programs/bench_count_hooks.so "${command[@]}" <"$input" >/dev/null
done
"$programs/bench_clock_pair" >reads
for _ in $(seq "$repeat"); do
    for name in lua sqlite3; do
        time_program times $name-empty $name empty long
        PCOMP_OPTIONS="--mode full" time_program times $name-full $name full long
        "$programs/bench_clock_pair" >>reads
    done
done
reads=$(best <reads)
fact "two bare clock reads" "$reads" ns
goal=0.75
for name in lua sqlite3; do
    calls=$(awk '{ sum += $2 } END { printf "%.0f", sum }' counts.$name)
    empty=$(samples times $name-empty 2 | best)
    full=$(samples times $name-full 2 | best)
    added=$(calc "($full - $empty) * 1e9 / $calls" 2)
    fact "$name: user seconds empty, full; calls" "$empty" "$full; $calls"
    fact "$name: full - empty, a call" "$added" \
        "ns (medians $(calc "($(samples times $name-full 2 | median) - $(samples times $name-empty 2 | median)) * 1e9 / $calls" 2))"
    at_most "$name: full - empty, a call / two bare clock reads" "$(calc "$added / $reads")" x $goal
    goal=1.0
done
