# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# A part of bench/accuracy: does a known slowdown show in the right function, and nowhere else?
#
# 1 % and 5 % of T are added to a function that is called over a million times, and to one that is called under a hundred times,
# at a site (sites.sh): in the uninstrumented program at its start, in the instrumented one after its enter hook. What is added
# is a chain of dependent steps, between fences that keep it from overlapping with the program; the program without the
# slowdown has the fences too, so that the difference is the chain alone, which is timed in the same process before main. All
# variants run in turns; the medians of the differences of compensated exclusive times are judged.
#
# Appends: slowdown PROGRAM BUILD inject often|seldom PERCENT CALLS EXPECTED_NS SHOWN_NS RAW_NS PLAIN_NS ELSEWHERE_PERCENT
#              right|MISS clean|MISS FUNCTION ELSEWHERE_FUNCTION
#   SHOWN, RAW: what the function's exclusive time grew by; PLAIN: what the uninstrumented program's total did;
#   ELSEWHERE_PERCENT: the largest change of another function, of T
#   right: within 10 % of the expected or 0.2 % of T; clean: at most 0.3 % of T

# shellcheck source=bench/accuracy.d/sites.sh
. "$parts_dir/sites.sh"

rounds=$runs
# Six variants of two to four seconds a round, twice: four programs when none was chosen.
slowed_programs=$chosen_programs
[ "$chosen_programs" != "$all_programs" ] || slowed_programs="bzip2 zlib sqlite3 libgsm"
[ $quick = no ] || rounds=2 slowed_programs=${chosen_programs%% *}
candidates=6

# choose_candidates: up to $candidates lines "KIND LABEL CALLS NAME" of each kind, from `names` and the run in `default`.
choose_candidates() {
    with_medians '
        FNR == NR { name = rest_after(1); labels[name] = copies[name]++ ? "" : $1; next }
        {
            name = rest_after(7)
            if (name in n) labels[name] = "" # two functions of one name
            n[name] = $1
        }
        END {
            for (name in n)
                if (labels[name] != "" && name != "main")
                    if (n[name] > 1000000) print n[name], "often", labels[name], n[name], name
                    else if (n[name] > 1 && n[name] < 100) print 100 - n[name], "seldom", labels[name], n[name], name
        }' names default | sort -g |
        with_medians '++taken[$2] <= limit { print rest_after(1) }' limit=$candidates
}

# is_called KIND CALLS
is_called() {
    case $1 in
    often) [ "$2" -gt 1000000 ] ;;
    seldom) [ "$2" -gt 1 ] && [ "$2" -lt 100 ] ;;
    esac
}

# site_run OUT BINARY COMMAND...: one run, whose line of the site goes to OUT.
site_run() {
    local out=$1 binary=$2
    shift 2
    BENCH_SITE_FILE=$PWD/$out run_site $binary "$@" "${arguments[@]}"
}

# pick KIND: sets `label`, `calls` and `name` of the first candidate that both binaries call equally often.
pick() {
    local kind counted
    while read -r kind label _ name; do
        [ $kind = "$1" ] || continue
        BENCH_SITE=$label BENCH_SITE_STEPS=0 site_run site plain ./plain
        read -r calls _ <site
        is_called $kind $calls || continue
        BENCH_SITE=$label BENCH_SITE_STEPS=0 site_run site instr "$pcomp" record -o data -- ./instr
        read -r counted _ <site
        [ "$counted" != "$calls" ] || return 0
    done <candidates
    return 1
}

# variants_of KIND: lines "VARIANT LABEL STEPS CALLS NAME" of the picked function, without and with the slowdowns.
variants_of() {
    local none some percent
    BENCH_SITE=$label BENCH_SITE_STEPS=0 site_run site plain ./plain
    none=$(cut -d' ' -f5 site)
    BENCH_SITE=$label BENCH_SITE_STEPS=1000 site_run site plain ./plain
    some=$(cut -d' ' -f5 site)
    echo "$1-0 $label 0 $calls $name"
    for percent in 1 5; do
        echo "$1-$percent $label $(calc "$total * $percent / 100 / $calls / ($some - $none) * 1000 + 0.5" 0) $calls $name"
    done
}

# run_variant VARIANT LABEL STEPS: both binaries, once.
run_variant() {
    export BENCH_SITE=$2 BENCH_SITE_STEPS=$3 BENCH_SITE_FILE=$PWD/site
    run_site plain ./plain "${arguments[@]}"
    echo "$1 $round $(cut -d' ' -f2 stamp) $(cut -d' ' -f5 site)" >>plain.runs
    rm -f one
    record_functions one ./instr
    sed "s/^/$1 $round /" one >>instr.runs
    unset BENCH_SITE BENCH_SITE_STEPS BENCH_SITE_FILE
}

# inject_into PROGRAM BUILD
inject_into() {
    local variant label calls name kind steps total round
    rm -f default plain.runs instr.runs variants
    record_functions default "$(binary_of $1 $2 instr)"
    site_names $1 $2 plain | sort >names.plain
    site_names $1 $2 instr | sort | comm -12 - names.plain >names
    choose_candidates >candidates
    cut -d' ' -f2 candidates >wanted
    link_sites $1 $2 plain wanted ./plain
    link_sites $1 $2 instr wanted ./instr
    run_site plain ./plain "${arguments[@]}"
    total=$(cut -d' ' -f3 stamp) # processor time: nobody else's work counts
    for kind in often seldom; do
        progress "$1 $2: looking for a function that is called $kind"
        if pick $kind; then
            variants_of $kind >>variants
        else
            fact "$1, $2: no function that both builds call $kind" ""
        fi
    done
    [ -e variants ] || return 0
    for round in $(seq $rounds); do
        while read -r variant label steps _; do
            progress "$1 $2, round $round of $rounds: $variant"
            run_variant $variant $label $steps
        done < <(shuf variants)
    done
    awk -f "$parts_dir/medians.awk" -f "$parts_dir/slowdown.awk" program=$1 build=$2 total=$total variants plain.runs instr.runs >judged
    cat judged >>"$figures"
    awk '{ printf "  %-8s %-15s %s %s %%: expected %8.3f ms, shown %8.3f (raw %8.3f) %-5s elsewhere at most %6.2f %% %s   %s, %d calls; %s\n",
        $2, $3, $5, $6, $8 / 1e6, $9 / 1e6, $10 / 1e6, $13, $12, $14, $15, $7, $16 }' judged
}

figure "slowdown of one function: what its compensated exclusive time grew by (medians of $rounds differences)"
sites_possible "gcc-O2 clang-after-O2 gcc-sleds-O2 clang-sleds-O2"
[ -z "$site_builds" ] || assemble_programs "$slowed_programs" "$site_builds" "plain instr"
for program in ${site_builds:+$slowed_programs}; do
    program_task $program seconds
    for build in $site_builds; do
        inject_into $program $build
    done
done
