# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# What pcomp advise predicts, against what comes of building with its advice.

. "$here/real_programs.sh"
prepare_programs

figure "advise: build with the advice, measure again (CPU time, medians of $repeat, interleaved)"

# ordinary and measured are built with -g, so that files are known; advised is compiled with the advice besides.
build_advised() {
    local name=$1 out=$work/programs/$1
    describe_program $name
    compile_program "$out/ordinary.o" "-g"
    compile_program "$out/measured.o" "-g -finstrument-functions"
    cc "$out"/ordinary.o/*.o -o "$out/ordinary" $libraries
    link_full $name measured
    time_program first $name $name measured long
    "$pcomp" advise "$PCOMP_DATA" --plain "$out/ordinary" -o $name.args --format json >$name.json
    compile_program "$out/advised.o" "-g -finstrument-functions @$PWD/$name.args"
    link_full $name advised
}
link_full() {
    local out=$work/programs/$1
    cc "$out/$2.o"/*.o -o "$out/$2" -L"$(dirname "$lib")" -lpcomp -Wl,-rpath,"$(dirname "$lib")" $libraries
}

# Of functions with 1 % of the run and the same calls in both reports: how many there are, how many have another
# compensated inclusive time by more than the uncertainty, and the median of the changes in percent.
moved() {
    awk -F, '
        FNR == 1 { file++; for (i = 1; i <= NF; i++) column[$i] = i; next }
        { name = $1 "," $column["file"] "," $column["line"] "," $column["N"]
          time = $column["compensated_inclusive_ns"]; error = $column["uncertainty_inclusive_ns"] }
        file == 1 { before[name] = time; before_error[name] = error; if (time > most) most = time; next }
        name in before && before[name] > most / 100 {
            change = time - before[name]; if (change < 0) change = -change
            count++; out += change > sqrt(error ^ 2 + before_error[name] ^ 2)
            print 100 * change / before[name] >"changes" }
        END { print count + 0, out + 0 }' "$1" "$2"
    median <changes
}
keep_report() {
    "$pcomp" report "$PCOMP_DATA" --format csv >"$1" 2>/dev/null
}

for name in lua sqlite3 bzip2 mujs; do
    build_advised $name
    for round in $(seq "$repeat"); do
        time_program times $name-ordinary $name ordinary long
        time_program times $name-measured $name measured long
        keep_report $name-measured$((round % 2)).csv
        time_program times $name-advised $name advised long
        keep_report $name-advised.csv
    done
done

median_cpu() {
    awk -v label="$1" '$1 == label { print $2 + $3 }' times | median
}
field() {
    "$programs/bench_report_value" get $name.json $1
}
for name in lua sqlite3 bzip2 mujs; do
    ordinary=$(median_cpu $name-ordinary) measured=$(median_cpu $name-measured) advised=$(median_cpu $name-advised)
    predicted=$(calc "$(field saving) / 1e9") real=$(calc "$measured - $advised")
    fact "$name: calls that are left out, of all" \
        "$(calc "100 * $(field saving) / $(field overhead)" 1)" "% ($(wc -l <$name.args) arguments)"
    fact "$name: dilation, all measured" "$(calc "$measured / $ordinary" 2)" x
    fact "$name: dilation, with the advice" "$(calc "$advised / $ordinary" 2)" "x (predicted $(calc "$(field dilation_then)" 2))"
    fact "$name: saving, predicted / real" "$(calc "$predicted / $real" 2)" "($predicted s / $real s)"
    { read -r count out; read -r change; } < <(moved $name-measured1.csv $name-advised.csv)
    fact "$name: functions whose time moved past its uncertainty" "$out" "of $count left (median change $(calc "$change" 1) %)"
    [ "$repeat" -lt 2 ] || {
        { read -r count out; read -r change; } < <(moved $name-measured0.csv $name-measured1.csv)
        fact "$name: ... between two runs without any change" "$out" "of $count (median change $(calc "$change" 1) %)"
    }
done
