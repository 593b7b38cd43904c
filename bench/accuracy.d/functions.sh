# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# A part of bench/accuracy: inclusive time of the costliest functions, against a build in which nothing but that function is timed.
#
# The truth is the uninstrumented program, to the last instruction, but for a site at the function (sites.sh). Functions are
# taken by inclusive time, of those whose calls would cost less than 1 % of the run to time (25 ns each), whose own time is at
# least 500 ns a call, and which are called as often in the uninstrumented program: one that it inlined in places is not the
# same function. Of those that are nearly all of the program, which say no more than the total does, one is taken.
#
# Appends: functions PROGRAM BUILD function TRUTH_NS RAW_NS COMPENSATED_NS ERROR_PERCENT RAW_ERROR_PERCENT CALLS pass|MISS NAME
#          functions PROGRAM BUILD within FUNCTIONS_WITHIN FUNCTIONS RAW_WITHIN WORST_ERROR_PERCENT LEFT_OUT        (5 %)

# shellcheck source=bench/accuracy.d/sites.sh
. "$parts_dir/sites.sh"

at_most_functions=8
# Some are lost to the number of calls.
at_most_candidates=12
rounds=$((runs < 3 ? runs : 3))
[ $quick = no ] || rounds=1

# choose_functions: a line "ASSEMBLY-NAME NAME" each into `chosen`, the costliest first, from `names` and the run in `default`.
choose_functions() {
    with_medians '
        FNR == NR { name = rest_after(1); labels[name] = copies[name]++ ? "" : $1; next }
        {
            name = rest_after(7)
            if (name == "main") total = $6
            if (name in time) labels[name] = "" # two functions of one name
            n[name] = $1
            time[name] = $6
        }
        END {
            for (name in time)
                if (labels[name] != "" && name != "main" && n[name] > 0 &&
                    n[name] * 25 < total / 100 && time[name] > 500 * n[name] && time[name] > total / 200)
                    print time[name], (time[name] > 0.98 * total), labels[name], name
        }' names default | sort -rg | with_medians '
        $2 && whole++ { next }
        ++taken <= limit { print rest_after(2) }' limit=$at_most_candidates >chosen
}

# measure_functions PROGRAM BUILD
measure_functions() {
    local round label instr
    rm -f default truth
    instr=$(binary_of $1 $2 instr)
    record_functions default "$instr"
    site_names $1 $2 plain >names
    choose_functions
    cut -d' ' -f1 chosen >wanted
    [ -s wanted ] || { fact "$1, $2: no such function" ""; return 0; }
    link_sites $1 $2 plain wanted ./timed
    for round in $(seq $rounds); do
        progress "$1 $2, round $round of $rounds: $(wc -l <wanted) functions"
        [ $round = 1 ] || record_functions default "$instr"
        for label in $(shuf wanted); do
            BENCH_SITE=$label BENCH_SITE_FILE=$PWD/site run_site timed ./timed "${arguments[@]}"
            echo "$label $(cat site)" >>truth
        done
    done
    awk -f "$parts_dir/medians.awk" -f "$parts_dir/functions.awk" program=$1 build=$2 limit=$at_most_functions chosen truth \
        default >judged
    cat judged >>"$figures"
    with_medians '
        $4 == "within" {
            printf "  %-10s %-15s %2d of %2d within 5 %%, worst %7.2f %%; raw %d\n", $2, $3, $5, $6, $8, $7
        }
        $4 == "function" {
            printf "    %9.4f s, raw %8.2f %%, compensated %7.2f %% %-4s %8d calls  %s\n", $5 / 1e9, $9, $8, $11, $10, rest_after(11)
        }' judged
}

figure "functions: inclusive time of the costliest ones with few calls, errors against timing that function alone (medians of $rounds)"
sites_possible "gcc-O2 clang-after-O2"
[ -z "$site_builds" ] || assemble_programs "$chosen_programs" "$site_builds" plain
for program in ${site_builds:+$chosen_programs}; do
    program_task $program long
    for build in $site_builds; do
        measure_functions $program $build
    done
done
