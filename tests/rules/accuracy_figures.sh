#!/bin/bash
# accuracy_figures.sh SOURCE: bench/accuracy makes of given runs the errors, the coverage and the verdicts that they have.
set -eu -o pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

# same WHAT EXPECTED FOUND
same() {
    diff "$2" "$3" >difference && return 0
    echo "$1: expected (<) and found (>):"
    cat difference
    failed=1
}

# --- Runs to figures: T is 1 s, 1.1 s and 1.0 s, so that errors need the truth of their own round. ---
cat >runs <<'RUNS'
prog gcc-O2 1 plain 990000000 - - - -
prog gcc-O2 1 plain 1010000000 - - - -
prog gcc-O2 1 default 4000000000 3900000000 1010000000 20000000 100000000
prog gcc-O2 1 split 4200000000 4000000000 1100000000 1000000 100000000
prog gcc-O2 1 paper 4200000000 4000000000 900000000 1000000 100000000
prog gcc-O2 1 tau 5000000000 5000000000 0 - 100000000
prog gcc-O2 2 plain 1100000000 - - - -
prog gcc-O2 2 plain 1100000000 - - - -
prog gcc-O2 2 default 4000000000 3900000000 1122000000 30000000 100000000
prog gcc-O2 2 split 4300000000 4400000000 1210000000 1000000 100000000
prog gcc-O2 2 paper 4300000000 4400000000 990000000 1000000 100000000
prog gcc-O2 2 tau 5000000000 5000000000 0 - 100000000
prog gcc-O2 3 plain 1000000000 - - - -
prog gcc-O2 3 plain 1000000000 - - - -
prog gcc-O2 3 default 4000000000 3900000000 1050000000 60000000 100000000
prog gcc-O2 3 split 4100000000 4000000000 1100000000 1000000 100000000
prog gcc-O2 3 paper 4100000000 4000000000 900000000 1000000 100000000
prog gcc-O2 3 tau 5000000000 5000000000 0 - 100000000
prog clang-O2 1 plain 7 - - - -
RUNS
awk -v program=prog -v build=gcc-O2 -f "$source/bench/accuracy.d/totals.awk" runs | grep ^totals | cut -d' ' -f4- >found
cat >expected <<'FIGURES'
t_ns 1005000000
t_spread_percent 3.856
calls 100000000
dilation 3.980
raw_error_percent 300.000
raw_error_ns_per_call 30.0000
paper_error_percent -10.000
paper_error_ns_per_call -1.0000
tau_error_percent -100.000
tau_error_ns_per_call -10.0000
split_error_percent 10.000
split_error_ns_per_call 1.0000
default_error_percent 2.000
default_error_ns_per_call 0.2200
default_half_width_percent 2.985
default_inside 2 3
default_added_ns_per_call -2.000
FIGURES
same "figures of the runs" expected found

# --- Figures to verdicts: which group a build is in, worst by size, coverage. ---
cat >figures.txt <<'FIGURES'
totals a gcc-O2 dilation 3.5
totals a gcc-O2 default_error_percent -19
totals a gcc-noinline dilation 9
totals a gcc-noinline default_error_percent -4.5
totals b gcc-O3 dilation 2.5
totals b gcc-O3 default_error_percent 1
totals b clang-O2 dilation 5
totals b clang-O2 default_error_percent 0.5
coverage all all inside_percent 90.0
coverage all all half_width_percent 3.1
coverage all all added_ns_per_call -0.5
FIGURES
cat >expected <<'VERDICTS'
1.00 <= 2 pass
4.50 <= 5 pass
19.00 <= 10 MISS
19.00 <= 20 pass
90.0 >= 90 pass
3.1 <= 3 MISS
-0.5 <= 0 pass
VERDICTS
(
    # shellcheck source=bench/harness.sh
    . "$source/bench/harness.sh"
    export figures=$scratch/figures.txt results=$scratch/results results_dir=$scratch
    : >"$results"
    # shellcheck source=bench/accuracy.d/summary.sh
    . "$source/bench/accuracy.d/summary.sh"
) | sed -nE 's/.* (-?[0-9.]+) .*goal ([<>]= ?[0-9]+) +(pass|MISS)$/\1 \2 \3/p' >found
same "verdicts" expected found
exit $failed
