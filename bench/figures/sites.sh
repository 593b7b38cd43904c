# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Sites of both forms in the running program: how many are found, how long a switch of all takes while the program runs, and
# what a program of 30,000 functions pays at the start. Empty probes are preloaded for the first, the library for the second.

. "$here/real_programs.sh"
. "$here/site_forms.sh"

# sites_in BINARY FORM: calls of hooks in the code, or sleds in the map.
sites_in() {
    if [[ $2 == *-hooks ]]; then
        objdump -dw "$1" | grep -cE '(call|jmp) +[0-9a-f]+ <__cyg_profile_func_(enter|exit)@plt>'
    else
        echo $((0x$(objdump -hw "$1" | awk '$2 == "xray_instr_map" { print $3; exit }') / 32))
    fi
}

figure "all sites turned off and on while the program runs, which is never stopped"
BENCH_PROGRAMS="lua sqlite3 mujs bzip2" prepare_forms $site_forms
for form in $forms; do
    goal=150
    [[ $form != *-hooks ]] || goal=300
    for program in $chosen_programs; do
        : >switches
        for ((round = 0; round < 5; round++)); do
            run_form time switched $program $form LD_PRELOAD="$programs/bench_switch_sites.so" BENCH_SITES=10000/90000 \
                BENCH_SITES_FILE="$PWD/sites"
            cat sites >>switches
        done
        read -r enters exits _ <switches
        fact "$form: $program, sites found, of those in the binary" \
            "$((enters + exits)) of $(sites_in "$work/forms/$program/$form" $form)" \
            "($(calc "$(awk '{ print $4 }' switches | median) / 1000" 1) ms)"
        middle=$(awk '{ print $6 }' switches | median)
        if [ $program = sqlite3 ]; then
            at_most "$form: $program, one switch of all, median" "$middle" us $goal
        else
            fact "$form: $program, one switch of all, median" "$middle us"
        fi
        fact "$form: $program, the quickest, and the first" \
            "$(awk '{ print $7 }' switches | best), $(awk '{ print $5 }' switches | median) us"
    done
done

# make_functions DIR: 30,000 functions in 30 files, and a main that calls each once.
make_functions() {
    mkdir -p "$1"
    awk -v dir="$1" 'BEGIN {
        main = dir "/main.c"
        for (file = 0; file < 30; file++) {
            out = dir "/part" file ".c"
            for (i = 0; i < 1000; i++)
                printf "__attribute__((noinline)) int f%d_%d(int x) { __asm__ volatile(\"\" : \"+r\"(x)); return x + %d; }\n", file, i, i >out
            printf "int part%d(int x) {\n", file >out
            for (i = 0; i < 1000; i++)
                printf "    x = f%d_%d(x);\n", file, i >out
            print "    return x;\n}" >out
            close(out)
            printf "int part%d(int);\n", file >main
        }
        print "int main(void) {\n    int x = 0;" >main
        for (file = 0; file < 30; file++)
            printf "    x = part%d(x);\n", file >main
        print "    return x == 42;\n}" >main
    }'
}

# build_functions FORM: ./functions.FORM
build_functions() {
    local out=$work/forms/functions stamp
    make_functions "$out/source"
    sources=("$out"/source/*.c)
    flags_of $1
    stamp=$($compiler --version | head -n 1)$options
    if [ "$(cat "$out/$1.stamp" 2>/dev/null)" != "$stamp" ]; then
        rm -rf "${out:?}/$1"
        mkdir -p "$out/$1"
        printf '%s\n' "${sources[@]}" | (cd "$out/$1" && xargs -P "$(nproc)" -n 1 $compiler -w -O1 $options -c)
        $compiler "$out/$1"/*.o -o "$out/$1/functions"
        echo "$stamp" >"$out/$1.stamp"
    fi
    cp "$out/$1/functions" functions.$1
}

figure "start-up of a program that calls each of 30,000 functions once (wall time, medians of $((repeat * 3)) in turns)"
for form in $forms; do
    plain=${form%%-*}
    [ -e functions.$plain ] || build_functions $plain
    build_functions $form
    "$programs/bench_spawn_times" $((repeat * 3)) ./functions.$plain -- \
        PCOMP_DATA="$PWD/starts-{}" LD_PRELOAD="$lib" "PCOMP_OPTIONS=--counts exact" ./functions.$form -- \
        PCOMP_DATA="$PWD/starts-one-{}" LD_PRELOAD="$lib" "PCOMP_OPTIONS=--counts exact" "$programs/bench_first_call_empty" \
        >starts
    "$programs/bench_spawn_times" 3 \
        PCOMP_DATA="$PWD/starts-off-{}" LD_PRELOAD="$lib" "PCOMP_OPTIONS=--skip '*'" ./functions.$form >starts.off
    rm -rf starts-*
    read -r plain_wall _ <starts
    read -r wall best cpu _ <<<"$(sed -n 2p starts)"
    read -r one_wall _ one_cpu _ <<<"$(sed -n 3p starts)"
    read -r off_wall _ <starts.off
    at_most "$form: --counts exact, over the program without sites" "$(calc "($wall - $plain_wall) / 1000" 1)" ms 30
    fact "$form: the best, and CPU time (median)" "$(calc "$best / 1000" 1)" "ms, $(calc "$cpu / 1000" 1) ms"
    fact "$form: --skip '*', over the program without sites" "$(calc "($off_wall - $plain_wall) / 1000" 1)" ms
    fact "$form: a program of one function, whole" "$(calc "$one_wall / 1000" 1)" "ms, CPU $(calc "$one_cpu / 1000" 1) ms"
done
