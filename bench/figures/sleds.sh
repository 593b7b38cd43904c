# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Sites that are off, and sites that are timed, in either form: what the program pays where nothing is recorded, and one pair
# of timed probes beside two bare clock reads.

. "$here/real_programs.sh"
. "$here/site_forms.sh"

figure "sites off (user and system time, paired by round; at most ${BENCH_ROUNDS:-12} rounds, or a standard error below 1 %)"
prepare_forms $site_forms
for form in $forms; do
    site_rounds $form
    table_of $form off plain
    read -r middle worst <<<"$(middle_and_worst off.plain 2)"
    if [[ $form == *-hooks ]]; then
        fact "$form: off / plain, median and worst of $(wc -l <off.plain)" "$middle" "$worst"
        table_of $form off removed
        read -r middle worst <<<"$(middle_and_worst off.removed 2)"
        at_most "$form: off / calls removed from the file, median" "$middle" x 1.01
        at_most "$form: off / calls removed from the file, worst" "$worst" x 1.01
    else
        at_most "$form: off / plain, median of $(wc -l <off.plain)" "$middle" x 1.02
        at_most "$form: off / plain, worst" "$worst" x 1.05
    fi
done

figure "a pair of timed probes, a repeated call (median of 300 interleaved batches)"
for form in $forms; do
    build_own pair $form
    # A filter, so that hook calls lead to slots, too.
    LD_PRELOAD=$lib PCOMP_OPTIONS="--mode full --skip no_such_function" ./pair.$form 300 >pair.times
    fact "$form: two bare clock reads" "$(value_of pair.times reads_best)" ns
    fact "$form: call of a function that does nothing, and without sites" "$(value_of pair.times call_best)" \
        "ns, $(value_of pair.times plain_best)"
    if [[ $form == *-hooks ]]; then
        at_most "$form: hooks called through slots / two bare clock reads" "$(value_of pair.times ratio_median)" x 1.05
    else
        at_most "$form: call of a function with sleds / two bare clock reads" "$(value_of pair.times call_ratio_median)" x 1.15
    fi
done
