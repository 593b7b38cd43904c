#!/bin/bash
# trace_counted.sh: traces in which functions fall to counted are replayed, with hook calls and with sleds.
. "$(dirname "$0")/case.sh"
for compiler in gcc clang-sleds; do
    build "$compiler" shared program -O2 "$SOURCES/programs/counted_trace.c"
    for _ in $(seq 12); do
        run 0 env PCOMP_OPTIONS=--trace "$work/program"
        silent
        "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" >"$work/summary" 2>"$work/errors" ||
            fail "$compiler: $(head -n 1 "$work/errors")"
        grep -q "counted in place" "$work/summary" || fail "$compiler: nothing was counted"
        drop "$PCOMP_DATA"
        rm -rf "$work/replayed"
    done
done

# Threads that compute to their end: what was counted behind their last event is known, too. The first calls are
# recorded, 8,000 to 114,000 of them: on a busy machine more than in another run.
exact="--trace --counts exact"
build gcc shared program -O2 "$SOURCES/programs/counted_to_the_end.c"
for _ in 1 2 3; do
    drop "$PCOMP_DATA"
    rm -rf "$work/replayed"
    run 0 env PCOMP_OPTIONS="$exact" "$work/program"
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" --format json >"$work/summary" || fail "not replayed"
    counted=$(grep -o '"held_calls": [0-9]*' "$work/summary" | grep -o '[0-9]*$')
    [ "$counted" -ge 1900000 ] && break
done
[ "$counted" -ge 1900000 ] || fail "of 2 million calls $counted were counted"

# What counting costs is taken off where calls are counted, not off what runs before and behind.
build gcc shared program -O2 "$SOURCES/programs/counted_phases.c"
rm -rf "$work/replayed"
drop "$PCOMP_DATA"
run 0 env PCOMP_OPTIONS="$exact" "$work/program"
"$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" >"$work/summary" || fail "not replayed"
"$PCOMP" report "$work/replayed" --format csv >"$work/functions" || fail "not reported"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $(at["name"]) == "calls" { hot = $(at["compensated_inclusive_ns"]) / $(at["raw_inclusive_ns"]) }
    $(at["name"]) == "computes" { rest = $(at["compensated_inclusive_ns"]) / $(at["raw_inclusive_ns"]) }
    END { if (!(rest > 0.98 && hot < 0.95)) { print "of calls " hot " is left, of computes " rest; exit 1 } }' \
    "$work/functions" || fail "$(cat "$work/functions")"

# The price of events among the work of the program is of its samples: its error is in the header.
error=$(od -An -td8 -j3904 -N8 "$PCOMP_DATA"/*.trace)
[ "$error" -gt 0 ] || fail "no price of events among the work: its error is $error"

# Too hot for the limit, it is counted in windows: N is known from these, +- that holds it in two of three runs.
held=0
for _ in 1 2 3; do
    rm -rf "$work/replayed"
    drop "$PCOMP_DATA"
    run 0 env PCOMP_OPTIONS="--trace --budget 2%" "$work/program" 20
    "$PCOMP" replay "$PCOMP_DATA" -o "$work/replayed" >"$work/summary" || fail "not replayed"
    grep -q "of the hottest functions in windows alone" "$work/summary" || fail "no windows: $(cat "$work/summary")"
    grep -q "taken off for them and for sites that are off" "$work/summary" ||
        fail "sites cost nothing: $(cat "$work/summary")"
    "$PCOMP" report "$work/replayed" --format csv >"$work/functions" || fail "not reported"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $(at["name"]) == "leaf" { n = $(at["N"]); half = $(at["calls_uncertainty"]) }
        END { exit !(half > 0 && n - 1.5 * half <= 200e6 && 200e6 <= n + 1.5 * half) }' "$work/functions" && held=$((held + 1))
done
[ "$held" -ge 2 ] || fail "N of leaf: $(grep leaf "$work/functions")"

# A trace that has stopped, while functions are counted, costs hooks no system calls.
build gcc shared program -O1 "$SOURCES/programs/many_rare.c"
gcc -O1 -o "$work/system_calls" "$SOURCES/programs/system_calls.c" || fail "system_calls does not build"
[ "$failures" = 0 ] && { "$work/system_calls" 100000 /bin/true || skip "no process may be traced here"; }
# How many events there are until all is counted differs from run to run.
stopped=
for _ in $(seq 40); do
    drop "$PCOMP_DATA"
    run 0 env PCOMP_OPTIONS="--trace --trace-limit 600K --sampler timer" "$work/system_calls" 100000 "$work/program"
    lost=$(grep -o "measurement stopped: the trace had grown to --trace-limit; [0-9]* events recorded, [0-9]*" "$work/err")
    [ -n "$lost" ] && [ "${lost##* }" -lt 6000000 ] && stopped=yes && break
done
[ "$stopped" ] || fail "none of 40 traces stopped while a function was counted"

# Calls of filtered functions cost none either, where every other call is recorded: their sites are off.
for compiler in gcc clang-sleds; do
    build "$compiler" shared filtered -O2 "$SOURCES/programs/hot_functions.c"
    drop "$PCOMP_DATA"
    run 0 env PCOMP_OPTIONS="--trace --trace-all --only main" "$work/system_calls" 100000 "$work/filtered"
done
finish
