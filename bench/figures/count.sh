# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Calls counted in place (--counts exact): what it costs a program and a call, whether N is right, whether threads disturb
# each other.

. "$here/real_programs.sh"
. "$here/site_forms.sh"

figure "counting in place (user and system time, paired by round; at most ${BENCH_ROUNDS:-12} rounds, or a standard error below 1 %)"
prepare_forms $site_forms
for form in $forms; do
    site_rounds $form
    base=plain goal=1.10 worst_goal=1.25
    [[ $form != *-hooks ]] || { base=off goal=1.4 worst_goal=2; }
    table_of $form counts $base
    read -r middle worst <<<"$(middle_and_worst counts.$base 2)"
    at_most "$form: --counts exact / $base, median of $(wc -l <counts.$base)" "$middle" x $goal
    at_most "$form: --counts exact / $base, worst" "$worst" x $worst_goal

    # A call: where they are many, so that start-up and noise are little beside them.
    : >calls
    for name in $chosen_programs; do
        calls=$(cat "$rounds_dir/$name.calls")
        awk -v calls="$calls" -v name=$name '
            $1 == "off" { off[++n] = $2 + $3 } $1 == "counts" { counts[++m] = $2 + $3 }
            END { for (i = 1; i <= m; i++) { print name, (counts[i] - off[i]) * 1e9 / calls, calls / off[i] } }' \
            "$rounds_dir/$name.runs" >call
        dear=$(awk '{ print $2 }' call | median)
        dense=$(awk '{ print $3 }' call | median)
        fact "$form: $name, a counted call" "$(calc "$dear" 2)" "ns ($calls calls, $(calc "$dense / 1e6" 0) million a second)"
        ! awk -v d="$dense" 'BEGIN { exit !(d >= 5e7) }' || echo "$name $dear" >>calls
    done
    if [ -s calls ]; then
        read -r middle worst <<<"$(middle_and_worst calls 2)"
        at_most "$form: a counted call, median of $(wc -l <calls) with 50 million a second" "$(calc $middle 2)" ns 0.9
        at_most "$form: a counted call, worst of them" "$(calc $worst 2)" ns 1.2
    fi
done

figure "N of every function beside an independent count (one binary, one address space)"
fixed=""
! setarch -R true 2>/dev/null || fixed="setarch -R"
for form in $forms; do
    counter=$programs/bench_count_sleds.so
    [[ $form != *-hooks ]] || counter=$programs/bench_count_hooks.so
    for name in $chosen_programs; do
        program_task $name long
        binary=$work/forms/$name/$form
        rm -rf "$PCOMP_DATA"
        # As long an environment for both: tables keyed by addresses are filled alike.
        export BENCH_COUNTS=$PWD/truth PCOMP_OPTIONS="--counts exact"
        LD_PRELOAD=$counter NO_PRELOAD=$lib $fixed "$binary" "${arguments[@]}" <"$input" >/dev/null
        LD_PRELOAD=$lib NO_PRELOAD=$counter $fixed "$binary" "${arguments[@]}" <"$input" >/dev/null
        unset BENCH_COUNTS PCOMP_OPTIONS
        "$pcomp" report "$PCOMP_DATA" --view flat --limit 0 --format json >report.json
        read -r wrong functions calls <<<"$(compare_calls "$binary" truth report.json $form.$name.differences)"
        [ "$wrong" = 0 ] || head -n 5 $form.$name.differences | sed 's/^/    /'
        at_most "$form: $name, functions that differ of $functions ($calls calls)" "$wrong" "" 0
    done
done

figure "8 threads counting on $(nproc) processors, against one (CPU time a call)"
for form in $forms; do
    build_own calling_threads $form -pthread
    LD_PRELOAD=$lib PCOMP_OPTIONS="--skip '*'" ./calling_threads.$form $((repeat * 2 + 1)) 10000000 >threads.off
    rm -rf "$PCOMP_DATA"
    LD_PRELOAD=$lib PCOMP_OPTIONS="--counts exact" ./calling_threads.$form $((repeat * 2 + 1)) 10000000 >threads.counts
    fact "$form: one thread counting, and with sites off" "$(value_of threads.counts one_median)" \
        "ns a call, $(value_of threads.off one_median)"
    fact "$form: eight / one with sites off: the machine's own" \
        "$(calc "$(value_of threads.off many_median) / $(value_of threads.off one_median)")" x
    at_most "$form: eight / one, medians" \
        "$(calc "$(value_of threads.counts many_median) / $(value_of threads.counts one_median)")" x 1.05
done
