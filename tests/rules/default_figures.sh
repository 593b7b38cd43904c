#!/bin/bash
# default_figures.sh SOURCE: bench/default makes of given runs the figures and the verdicts that they have.
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

# figure_awk NAME ARGUMENT...: as in bench/default.d/rounds.sh.
figure_awk() {
    local name=$1
    shift
    awk -f "$source/bench/accuracy.d/medians.awk" -f "$source/bench/default.d/$name.awk" "$@"
}

# --- Runs: a ratio needs both runs of its own round; T of the second round is twice that of the first; the third is unfinished. ---
cat >runs <<'RUNS'
1 plain 0.9 1.0 0.9 - -
1 off 1.1 1.2 1.1 - -
1 default 1.2 1.3 1.32 1.05 0.04
1 control 1.1 1.2 1.1 - -
2 plain 2.0 2.2 2.0 - -
2 default 2.4 2.64 2.6 2.2 0.3
2 off 2.2 2.4 2.2 - -
2 control 2.0 2.2 2.0 - -
3 plain 9 9 9 - -
RUNS
cat >expected <<'FIGURES'
seconds 1.5 0.62665 2
off_plain 1.1 0 2
wall_plain 1.19091 0.0113936 2
processor_plain 1.31 0.012533 2
wall_off 1.09167 0.0104442 2
processor_off 1.19091 0.0113936 2
error_percent_off -2.27273 2.84841 2
error_percent_plain 7.5 3.13325 2
control_percent_plain 11.1111 13.9256 2
half_width 8.72294 6.15799 2
inside 50 35.36 2
FIGURES
figure_awk rounds runs >found
same "figures of the runs" expected found

# --- Traces: T_a and T_m of a round against T and T_off of that round; no-op sites are in T_off. ---
cat >runs.traced <<'RUNS'
1 plain 0.9 1.0 0.9 - -
1 off 1.0 1.1 1.0 - -
1 traced 1.1 1.2 1.2 1.05 0.06 0.05
2 plain 1.9 2.0 1.9 - -
2 off 2.0 2.1 2.0 - -
2 traced 2.4 2.5 2.5 2.2 0.05 0
3 plain 9 9 9 - -
3 off 9 9 9 - -
RUNS
cat >expected <<'FIGURES'
traced_wall 1.15 0.062665 2
traced_error 2.38095 2.98405 2
traced_error_plain 7.5 3.13325 2
traced_inside 50 35.36 2
FIGURES
figure_awk traced runs.traced >found
same "figures of traces" expected found

# --- Shares: parts of a function are the function; libc's time is its caller's; what no profile knows is left out. ---
printf '%s\n' '5 0 300.0 900.0 main' '7 0 -5.0 0.0 operator new(unsigned long)' '9 1 700.0 700.0 f.part.0' '0 0 50.0 0.0 [other]' >profile
printf '60 f.cold\tmain\n10 memcpy\tmain\n30 main\n' >half.0
printf '60 f.isra.0.cold\tmain\n40 main\n8 start\n' >half.1
echo '10.0000 0.0000 200 8' >expected
figure_awk shares profile half.0 half.1 >found
same "shares" expected found
printf '%s\n' '10 2 1 1' '14 2 1 1' '12 4 1 1' >rounds
echo '9.0000 1.447 3 2.0000' >expected
figure_awk shares_row rounds >found
same "shares of a row" expected found

# --- Samplers: the times of profiles one behind the other add up; the timer may be nearer to the truth. ---
printf '%s\n' '4 2' '9 6' '5 4' >rounds
echo '2.0000 0.7236' >expected
figure_awk samplers rounds >found
same "samplers" expected found
printf '%s\n' '1 2' '3 6' >rounds
echo '0.0000 1.253' >expected
figure_awk samplers rounds >found
same "a timer that is nearer" expected found
sed 's/300.0/100.0/; s/700.0/200.0/' profile >together
sed 's/300.0/200.0/; s/700.0/500.0/' profile >>together
echo '10.0000 0.0000 200 8' >expected
figure_awk shares together half.0 half.1 >found
same "shares of profiles together" expected found

# --- Frames and symbols: a caller's frame stands behind its call; the place in the file becomes an address. ---
printf '%s\n' '	 7f00 (/lib/libc.so)' '	 1011 (/a b)' '	 1100 (/a b)' '' '	 1100 (/a b)' '' '	 7f00 (/lib/libc.so)' '' >script
printf '%s\n' '2010 20ff' '2100' - >expected
awk -v "binary=/a b" -v delta=4096 -f "$source/bench/default.d/frames.awk" script >found
same "frames" expected found
printf '%s\n' '0000000000002000 t first(int, char)' '0000000000002000 T alias' '0000000000002008 d data' '0000000000002100 W second' >symbols
printf '%s\n' 1fff 2010 20ff 2100 >addresses
printf '%s\t%s\n' 2010 'first(int, char)' 20ff 'first(int, char)' 2100 second >expected
awk -f "$source/bench/default.d/symbols.awk" - addresses <symbols >found
same "symbols" expected found

# --- Calls: an exact N is right or outside; an uncertain one may be off by its interval. ---
printf '%s\n' '5 5 0 f' '5 6 0 g(int, char)' '2000000 2030000 40000 h' '3000000 2970000 10000 i' '0 3 0 j' >lines
echo '3 5 2 1.2500' >expected
figure_awk counts lines >found
same "calls" expected found

# --- Inclusive times: which functions, and medians over rounds. ---
printf '%s\n' '3 0 1 990 whole' '3 0 1 985 same' '1 0 1 1000 main' '2 0 1 400 f(int, char)' '1 0 1 40 small' '90000 0 1 800 often' \
    '1 0 1 500 two' '1 0 1 500 two' '0 0 1 600 [time]' | awk '{ $4 *= 1e6; print }' >profile.default.1
printf '%s\n' '990000000 1 whole' '985000000 1 same' '400000000 0 f(int, char)' >expected
figure_awk coarse total=1000000000 profile.default.1 | sort -rn >found
same "functions of few calls" expected found
printf '%s\n' 'f(int, char)' g gone >chosen
printf '%s\n' '1 0 1 100 f(int, char)' '1 0 1 10 g' >profile.coarse.1
printf '%s\n' '1 0 1 104 f(int, char)' '1 0 1 12 g' >profile.default.1
printf '%s\n' '1 0 1 200 f(int, char)' '1 0 1 10 g' >profile.coarse.2
printf '%s\n' '1 0 1 204 f(int, char)' '1 0 1 11 g' >profile.default.2
printf '%s\n' '15.000 g' '3.000 f(int, char)' '2 1 15.000' >expected
figure_awk inclusive chosen profile.coarse.1 profile.coarse.2 >errors
{ head -n -1 errors | sort -rn; tail -n 1 errors; } >found
same "inclusive times" expected found

# --- Verdicts: beyond a goal by two standard errors; the sign does not count; lists and builds apart. ---
tr ' ' '\t' >figures.tsv <<'FIGURES'
a design gcc-sleds wall_plain 1.10 0.01 5
b design gcc-sleds wall_plain 1.13 0.01 5
c design gcc-sleds wall_plain 1.20 0.01 5
a design gcc-sleds error_percent_off -4 0.2 5
b design gcc-sleds error_percent_off 2.5 0.3 5
c design gcc-sleds error_percent_off 1 0.2 5
a design gcc-sleds inside 80 0 5
b design gcc-sleds inside 100 0 5
a design gcc-sleds counts_outside 10 0 100
b design gcc-sleds counts_outside 2 0 900
x afterwards gcc-sleds wall_plain 2 0.01 5
a design gcc wall_off 1.5 1e+09 1
FIGURES
cat >expected <<'VERDICTS'
MISS design gcc-sleds wall_plain worst
pass design gcc-sleds error_percent_off median
pass design gcc-sleds error_percent_off worst
pass design gcc-sleds inside
pass design gcc-sleds counts_outside
MISS afterwards gcc-sleds wall_plain worst
MISS design gcc wall_off worst
VERDICTS
: >verdicts
for row in "design gcc-sleds sleds" "afterwards gcc-sleds sleds" "design gcc gcc" "afterwards gcc gcc"; do
    read -r set build group <<<"$row"
    figure_awk summary -v build="$build" -v group="$group" -v set="$set" -v results=verdicts "$source/bench/default.d/goals.seconds" figures.tsv
done >table
same "verdicts" expected verdicts
grep -q 'beyond: c$' table || { echo "the worst row is not named with those that miss:"; cat table; failed=1; }
exit $failed
