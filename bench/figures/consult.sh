# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2034
# The search for bottlenecks under three kinds of control, as in Figure 6 of Hollingsworth and Miller (1996): a budget of
# 10 %, three hypotheses at a time (the same budget otherwise), and no limit. The answer is what a run with the budget and
# one without limit both find, where the share is half above the threshold at least (nearer to it, the time is a matter of
# luck). Its time is when the last of that was found, or the length of the run where it was not.

. "$here/real_programs.sh"
"$root/bench/fetch" bzip2 lua5.4 sqlite3 mujs zlib >"$work/fetch.txt" || die "bench/fetch: failed"
for name in lua sqlite3 bzip2; do # the one build of build_program that is needed
    built=$work/programs/$name
    [ ! -x $built/instr ] || continue
    describe_program $name
    compile_program $built/instr.o -finstrument-functions
    cc $built/instr.o/*.o -o $built/instr $libraries
done
make_inputs
for _ in {1..20}; do cat "$inputs/text.long"; done >text.longer
cc -O2 -finstrument-functions -pthread "$root/bench/programs/lock_holders.c" -o lock_holders

declare -A search_command=(
    [lua]="$work/programs/lua/instr $inputs/work.lua 200"
    [sqlite3]="$work/programs/sqlite3/instr --size 150 --memdb"
    [bzip2]="$work/programs/bzip2/instr -9 -c text.longer"
    [locks]="./lock_holders 8"
)
declare -A search_options=([budget]="--budget 10" [three]="--budget 10 --at-most 3" [unlimited]="--budget 100")
rounds=$((repeat < 3 ? repeat : 3))
# The command must get a processor when it wants one; the program of four threads is not to take all of them.
above="chrt -f 2" below="chrt -f 1"
$above true 2>/dev/null || above="" below=""

for round in $(seq $rounds); do
    for name in lua sqlite3 bzip2 locks; do
        under=$below
        [ $name != locks ] || under=""
        for method in budget three unlimited; do
            $above "$pcomp" consult ${search_options[$method]} --format json -o $name.$method.$round.json -- \
                $under ${search_command[$name]} >/dev/null 2>stderr.txt || die "$name, $method: $(tail -n 1 stderr.txt)"
        done
    done
done

# found FILE: "why|axis|focus|seconds|share|threshold" of each hypothesis that is true.
found() {
    sed -n 's/.*"why": "\([^"]*\)", "axis": "\([^"]*\)", "focus": "\([^"]*\)", "verdict": "true", "share": \([0-9.e-]*\),.*"threshold": \([0-9.]*\),.*"decided_s": \([0-9.e-]*\),.*/\1|\2|\3|\6|\4|\5/p' "$1"
}
# value FILE KEY: a number of the first line; share of time as percent.
value() {
    sed -n "1s/.*\"$2\": \\([0-9.e-]*\\).*/\\1/p" "$1"
}
cost() { # FILE mean|most|variance
    sed -n "1s/.*\"observed\": {\"mean\": \\([0-9.e-]*\\), \"most\": \\([0-9.e-]*\\), \"variance\": \\([0-9.e-]*\\)}.*/\\1 \\2 \\3/p" "$1" |
        awk -v what=$2 '{ print what == "mean" ? $1 * 100 : what == "most" ? $2 * 100 : $3 * 10000 }'
}
# The time of the answer in a run; the answer is in `answer`.
time_of() {
    found "$1" | awk -F'|' -v all="$(wc -l <answer)" -v whole="$(value "$1" seconds)" '
        NR == FNR { wanted[$1 "|" $2 "|" $3] = 1; next }
        ($1 "|" $2 "|" $3) in wanted { n++; if ($4 > last) last = $4 }
        END { print n == all ? last : whole }' answer -
}

figure "search for bottlenecks: time to the same answer, and observed cost (medians of $rounds)"
for name in lua sqlite3 bzip2 locks; do
    for round in $(seq $rounds); do
        found $name.budget.$round.json | cut -d'|' -f1-3 | sort -u >a
        found $name.unlimited.$round.json | awk -F'|' '$5 >= 1.5 * $6 { print $1 "|" $2 "|" $3 }' | sort -u >b
        comm -12 a b | grep -v '^overhead' >answer
        for method in budget three unlimited; do
            time_of $name.$method.$round.json >>$name.$method.times
            for what in mean most variance; do
                cost $name.$method.$round.json $what >>$name.$method.$what
            done
        done
        wc -l <answer >>$name.answers
    done
    fact "$name: hypotheses in the answer" "$(median <$name.answers)"
    for method in budget three unlimited; do
        fact "$name, $method: time to the answer" "$(calc "$(median <$name.$method.times)" 2)" s
        fact "$name, $method: cost, mean" "$(calc "$(median <$name.$method.mean)" 1)" "%"
        fact "$name, $method: cost, most in 50 ms" "$(calc "$(median <$name.$method.most)" 1)" "%"
        fact "$name, $method: cost, variance" "$(calc "$(median <$name.$method.variance)" 1)" "points^2"
    done
    at_most "$name: time with the budget against three at a time" \
        "$(calc "100 * $(median <$name.budget.times) / $(median <$name.three.times) - 100" 0)" "%" -29
done
