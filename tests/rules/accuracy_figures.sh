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
control_error_percent 0.000
control_inside 4 6
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

# part_figures SCRIPT ARGUMENT...: what a part's script makes of its files.
part_figures() {
    local script=$1
    shift
    awk -f "$source/bench/accuracy.d/medians.awk" -f "$source/bench/accuracy.d/$script.awk" "$@"
}

# --- Kernels: 2 % or 1 ns for each call that is measured in the time; medians; recursion, inclusive, is of the outermost. ---
printf '%s\n' 'top 100 20' 'leaf 40 40' 'recursion 500 10' 'top 100 20' 'leaf 41 41' 'leaf 900 900' >truth
printf '%s\n' '10 20 20 2000 900 1029 230 top' '20 0 0 1400 1400 780 780 leaf' '100 98 98 2000 2000 900 1090 recursion' >profile
cat >expected <<'FIGURES'
kernels k b inclusive top 100.000 200.000 102.900 0.967 2.90 pass
kernels k b exclusive top 20.000 90.000 23.000 1.000 15.00 pass
kernels k b inclusive leaf 41.000 70.000 39.000 -2.000 -4.88 MISS
kernels k b exclusive leaf 41.000 70.000 39.000 -2.000 -4.88 MISS
kernels k b inclusive recursion 500.000 1000.000 450.000 -1.000 -10.00 pass
kernels k b exclusive recursion 10.000 20.000 10.900 0.455 9.00 pass
kernels k b within 4 6 0 -2.000
FIGURES
part_figures kernels kernel=k build=b truth profile >found
same "kernels" expected found

# --- Functions: not those that were called more often, or left by a jump; the costliest first, up to the limit. ---
printf '%s\n' 'l1 f(int, char)' 'l2 inlined' 'l3 jumped' 'l4 g' 'l5 beyond' >chosen
printf '%s\n' 'l1 7 7 1000 0 0.0' 'l1 7 7 1100 0 0.0' 'l1 7 7 1010 0 0.0' 'l2 5 5 10 0 0.0' 'l3 9 8 10 1 0.0' 'l4 2 1 200 0 0.0' \
    'l5 1 1 10 0 0.0' >truth
printf '%s\n' '7 0 0 2020 0 1060 0 f(int, char)' '9 0 0 20 0 10 0 inlined' '9 0 0 20 0 10 0 jumped' '2 0 0 208 0 188 0 g' >profile
cat >expected <<'FIGURES'
functions p b function 1010 2020 1060 4.950 100.000 7 pass f(int, char)
functions p b function 200 208 188 -6.000 4.000 2 MISS g
functions p b within 1 2 1 -6.000 2
FIGURES
part_figures functions program=p build=b limit=2 chosen truth profile >found
same "functions" expected found

# --- Slowdown: each round against its own run without; 10 % of the cost or 0.2 % of T; the largest change of another. ---
printf '%s\n' 'often-0 l 0 10 f(int)' 'often-1 l 3 10 f(int)' 'often-5 l 9 10 f(int)' >variants
printf '%s\n' 'often-0 1 1000 2' 'often-1 1 1100 12' 'often-5 1 1500 52' 'often-0 2 2000 2' 'often-1 2 2100 12' 'often-5 2 2520 52' >plain
for round in 1 2; do
    base=$((round * 100))
    printf '%s\n' "often-0 $round 10 0 0 0 900 0 $base f(int)" "often-0 $round 1 0 0 0 5 0 50 other thing(int)" \
        "often-1 $round 10 0 0 0 1010 0 $((base + 120)) f(int)" "often-1 $round 1 0 0 0 5 0 52 other thing(int)" \
        "often-5 $round 10 0 0 0 1400 0 $((base + 545)) f(int)" "often-5 $round 1 0 0 0 5 0 46 other thing(int)"
done >profile
cat >expected <<'FIGURES'
slowdown p b inject often 1 10 100 120 110 100 0.200 MISS clean f otherthing
slowdown p b inject often 5 10 500 545 500 510 -0.400 right MISS f otherthing
FIGURES
part_figures slowdown program=p build=b total=1000 variants plain profile >found
same "slowdown" expected found

# --- Sites: at the label without hooks, behind the enter hook with them; a specialised copy is the function. ---
printf '%s\n' f h >labels
printf '%s\n' '	.type f, @function' 'f:' 'call __cyg_profile_func_enter@PLT' 'call __cyg_profile_func_enter@PLT' 'fg:' \
    'call __cyg_profile_func_enter@PLT' 'h.constprop.0:' 'ret' 'h.part.0:' 'call __cyg_profile_func_enter@PLT' >code.s
for variant in plain instr; do
    awk -f "$source/bench/accuracy.d/mark_sites.awk" labels variant=$variant code.s |
        grep -nE '^(f|fg|h.*):|call|asciz|ret|\.byte' | sed 's/\t/ /g'
done >found
cat >expected <<'CODE'
2:f:
8:99992: .asciz "f"
10:99991: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
11:call __cyg_profile_func_enter@PLT
12:call __cyg_profile_func_enter@PLT
13:fg:
14:call __cyg_profile_func_enter@PLT
15:h.constprop.0:
21:99992: .asciz "h"
23:99991: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
24:ret
25:h.part.0:
26:call __cyg_profile_func_enter@PLT
2:f:
3:call __cyg_profile_func_enter@PLT
9:99992: .asciz "f"
11:99991: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
12:call __cyg_profile_func_enter@PLT
13:fg:
14:call __cyg_profile_func_enter@PLT
15:h.constprop.0:
16:ret
17:h.part.0:
18:call __cyg_profile_func_enter@PLT
CODE
same "sites" expected found

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
coverage all all control_percent 95.0
coverage all all half_width_percent 3.1
coverage all all added_ns_per_call -0.5
distribution a gcc-O2 distance 30 4 0.7 1000 pass
functions a gcc-O2 function 10 20 10 0 100 1 pass f
functions a gcc-O2 function 10 20 11 10 100 1 MISS g
functions a gcc-O2 within 1 2 0 10 0
slowdown a gcc-O2 inject often 1 1000000 10 10 10 10 0.1 right clean f g
slowdown a gcc-O2 inject often 5 1000000 50 50 50 50 0.4 right MISS f g
kernels leaf gcc-O2 inclusive leaf 10 30 10.5 0.5 5 pass
kernels leaf gcc-O2 within 1 1 0 0
FIGURES
cat >expected <<'VERDICTS'
1.00 <= 2 pass
4.50 <= 5 pass
19.00 <= 10 MISS
19.00 <= 20 pass
90.0 >= 90 pass
3.1 <= 3 MISS
-0.5 <= 0 pass
100.0 >= 100 pass
50.0 >= 95 MISS
100.0 >= 100 pass
50.0 >= 100 MISS
100.0 >= 100 pass
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
