# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by parts of bench/accuracy: programs with sites, that is, places of chosen functions where
# bench/programs/function_site.c can time or slow down one of them. The sites are put into what the compiler made of the
# program, so the rest of the code is that of the build (mark_sites.awk).

# shellcheck source=bench/accuracy.d/undisturbed.sh
. "$parts_dir/undisturbed.sh"

sites_dir=$work/accuracy-sites

# with_medians PROGRAM [FILE...]: awk with the functions of medians.awk.
with_medians() {
    local program=$1
    shift
    awk "$(cat "$parts_dir/medians.awk")$program" "$@"
}

# sites_possible BUILDS: those of the chosen builds that are among BUILDS, in `site_builds`; says why if there are none.
sites_possible() {
    local build
    site_builds=""
    if [ "$(uname -m)" != x86_64 ]; then
        fact "not measured: sites are x86-64 code" "$(uname -m)"
        return 0
    fi
    for build in $chosen_builds; do
        [[ " $1 " != *" $build "* ]] || site_builds="$site_builds $build"
    done
    [ -n "$site_builds" ] || fact "not measured: no build of these was chosen" "" "$1"
}

# assembly_of PROGRAM BUILD plain|instr: the folder of its assembly output.
assembly_of() {
    local compiler options
    case $2-$3 in
    *-sleds-*-instr) echo "$sites_dir/$1/$2" ;; # its options have a path
    *) build_flags $2 $3; echo "$sites_dir/$1/$compiler${options// /}" ;;
    esac
}

# assemble_programs PROGRAMS BUILDS VARIANTS: the assembly output of these, where it is missing or outdated.
assemble_programs() {
    local program build variant dir stamp source jobs=$PWD/jobs stamps=$PWD/stamps
    : >"$jobs"
    : >"$stamps"
    for program in $1; do
        describe_program $program
        for build in $2; do
            for variant in $3; do
                dir=$(assembly_of $program $build $variant)
                build_flags $build $variant
                stamp=$(printf '%s\n' "$($compiler --version | head -n 1)" "$options" "$flags" "${sources[@]}" | cksum)
                [ "$(cat "$dir/stamp" 2>/dev/null)" != "$stamp" ] || continue
                rm -rf "$dir"
                mkdir -p "$dir"
                for source in "${sources[@]}"; do
                    printf '%d cd %q && %s -w -g %s %s -S %q\n' "$(stat -c %s "$source")" "$dir" $compiler "$options" \
                        "$(printf '%q ' $flags)" "$source" >>"$jobs"
                done
                echo "echo $stamp >$dir/stamp" >>"$stamps"
            done
        done
    done
    progress "compiling $(wc -l <"$jobs") files ($jobs)"
    sort -rn "$jobs" | cut -d' ' -f2- | tr '\n' '\0' | xargs -0 -r -P "$(nproc)" -n 1 sh -ec >build.log 2>&1 ||
        { tail -n 20 build.log >&2; die "a program could not be compiled ($PWD/build.log)"; }
    sh -e "$stamps"
}

# site_names PROGRAM BUILD VARIANT: a line "ASSEMBLY-NAME NAME" for each function that has one place in the program.
site_names() {
    local dir
    dir=$(assembly_of "$1" "$2" "$3")
    awk '$1 == ".type" && /@function/ {
            name = $2
            sub(/,.*/, "", name)
            sub(/\.(constprop|isra)\.[0-9]+/, "", name)
            if (name !~ /\./ && !seen[name, FILENAME]++) files[name]++
        }
        END { for (name in files) if (files[name] == 1) print name }' "$dir"/*.s | sort >labels
    c++filt <labels >demangled
    paste -d' ' labels demangled
}

# link_sites PROGRAM BUILD VARIANT LABELS OUT: the program with sites at the functions listed in the file LABELS.
link_sites() {
    local compiler options source objects=$PWD/objects
    describe_program $1
    build_flags $2 $3
    rm -rf "$objects"
    mkdir -p "$objects"
    for source in "$(assembly_of $1 $2 $3)"/*.s; do
        awk -f "$parts_dir/mark_sites.awk" "$4" variant=$3 "$source" >"$objects/${source##*/}"
    done
    $compiler -c -O2 -I"$root" "$root/bench/programs/function_site.c" -o "$objects/function_site.o"
    # clang 14 warns of its own line directives when it reads them.
    find "$objects" -name "*.s" -print0 | (cd "$objects" && xargs -0 -P "$(nproc)" -n 1 $compiler -c) 2>assembler.log ||
        { tail -n 20 assembler.log >&2; die "$1, $2: sites could not be assembled"; }
    $compiler "$objects"/*.o -o "$5" $libraries
    rm -rf "$objects"
}

before_run() { rm -rf data data.old; }

# run_site BINARY COMMAND...: runs COMMAND, which runs BINARY, with the input of the program.
run_site() {
    local binary=$1
    shift
    run_undisturbed "${binary##*/}" "$@" >/dev/null 2>messages ||
        { tail -n 5 messages >&2; die "$binary: a run failed"; }
}

# record_functions OUT INSTR OPTION...: appends a line "NUMBERS NAME" a function (bench_report_value functions) of a recorded run.
record_functions() {
    local out=$1 instr=$2
    shift 2
    run_site "$instr" "$pcomp" record -o data "$@" -- "$instr" "${arguments[@]}"
    "$pcomp" report data --view flat --format json >report.json
    "$programs/bench_report_value" functions report.json >>"$out"
}
