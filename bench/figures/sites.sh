# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Sites of both forms: what a program of 30,000 functions pays at the start.

. "$here/real_programs.sh"
. "$here/site_forms.sh"

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
