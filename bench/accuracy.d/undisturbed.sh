# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by the parts of bench/accuracy that compare wall times of single runs.

stamp_library=$programs/bench_main_stamp.so
repeated=0 kept=0

# run_undisturbed NAME COMMAND...: one run, its standard input the file $input; sets `wall` to the nanoseconds of the main of the
# process NAME in it. A run whose main waited for a processor more than 2 % of its time, or during which the host of a virtual
# machine took that much away from it, is repeated, at most twice. `before_run`, a function of the caller, precedes each attempt.
# Counts in `repeated` and `kept`.
run_undisturbed() {
    local name=$1 cpu attempt before
    shift
    for attempt in 1 2 3; do
        before_run
        rm -f stamp
        before=$(stolen)
        BENCH_STAMP=$PWD/stamp LD_PRELOAD=$stamp_library $foremost "$@" <"$input" || return
        read -r wall cpu < <(awk -v name="$name" '$1 == name { print $2, $3 }' stamp) || die "$name: has no stamp"
        [ $((wall * 50)) -gt $((cpu * 51)) ] || [ $((($(stolen) - before) * 500000000)) -gt $wall ] || return 0
        [ $attempt -eq 3 ] || repeated=$((repeated + 1))
    done
    kept=$((kept + 1))
}
