# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# Calls of every function of the real programs, by --counts exact, equal those of a build that only counts.

. "$here/real_programs.sh"
prepare_programs
fixed=""
! setarch -R true 2>/dev/null || fixed="setarch -R"

figure "counts: calls of every function beside those of a counting build"
for name in $program_names; do
    # One binary, one address space and as long an environment for both: tables keyed by addresses are filled alike.
    run_program $name full long
    binary=${command[0]}
    export BENCH_COUNTS=$PWD/truth
    LD_PRELOAD=$programs/bench_count_hooks.so $fixed "${command[@]}" <"$input" >/dev/null
    rm -rf "$PCOMP_DATA"
    NO_PRELOAD=$programs/bench_count_hooks.so PCOMP_OPTIONS="--counts exact" $fixed "${command[@]}" <"$input" >/dev/null
    "$pcomp" report "$PCOMP_DATA" --view flat --format json >report.json
    "$programs/bench_report_value" calls report.json >reported
    # Functions of one name (static ones of several files; aliases of one address) are compared as one.
    nm "$binary" | awk '$2 ~ /^[tTwWiI]$/ { sub(/^0+/, "", $1); print tolower($1), $3 }' >symbols
    awk '
        FILENAME == "symbols" { if (!($1 in first)) first[$1] = $2; else if (!($2 in group)) group[$2] = first[$1]; next }
        FILENAME == "truth" {
            address = tolower($1)
            if (!(address in first)) { print "no symbol at " address; wrong++; next }
            name = first[address]; if (name in group) name = group[name]
            truth[name] += $2; calls += $2; functions++
            next
        }
        { name = $2; if (name in group) name = group[name]; if (name !~ /^\[/) reported[name] += $1 }
        END {
            for (name in truth) if (truth[name] != reported[name]) {
                printf "%s: %d calls, reported %d\n", name, truth[name], reported[name]; wrong++ }
            for (name in reported) if (!(name in truth) && reported[name]) {
                printf "%s: never called, reported %d\n", name, reported[name]; wrong++ }
            printf "%d %d %.0f\n", wrong, functions, calls >"summary"
        }' symbols truth reported >"$name.differences"
    read -r wrong functions calls <summary
    head -n 5 "$name.differences" | sed 's/^/    /'
    at_most "$name: functions that differ, of $functions ($calls calls)" "$wrong" "" 0
done
