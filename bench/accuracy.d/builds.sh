# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/accuracy: the builds, and the binaries of each program in each build.
#
# A build is two binaries with the same flags, debugging information included: `plain`, and `instr` with the instrumentation and
# no hooks but the C library's empty ones. Whatever measures is preloaded, so that all methods run one binary.

all_builds="gcc-O2 gcc-O3 gcc-noinline gcc-sleds-O2 clang-O2 clang-after-O2 clang-after-O3 clang-sleds-O2"

# build_flags BUILD VARIANT: sets `compiler` and `options`.
build_flags() {
    local instrument=-finstrument-functions
    compiler=${1%%-*}
    case $1 in
    gcc-noinline) options="-O2 -fno-inline" ;; # both binaries have the same functions
    clang-after-*) options=-${1##*-}; instrument=$instrument-after-inlining ;;
    *-sleds-*) options=-${1##*-}; instrument=${sled_flags[$compiler]:-} ;;
    *) options=-${1#*-} ;;
    esac
    [ $2 = plain ] || options="$options $instrument"
}

# find_sleds: sets sled_flags of the compilers of the chosen builds, and leaves builds out that have no sleds here.
find_sleds() {
    local build flags known=""
    declare -gA sled_flags=()
    for build in $chosen_builds; do
        if [[ $build == *-sleds-* ]]; then
            flags=$("$pcomp" flags ${build%%-*} 2>"$results_dir/flags.txt") || flags=""
            if [ -z "$flags" ] || [[ $flags == *-finstrument-functions* ]]; then
                echo "$build is not measured: $(head -n 1 "$results_dir/flags.txt")" >&2
                continue
            fi
            sled_flags[${build%%-*}]=$flags
        fi
        known+=" $build"
    done
    chosen_builds=${known# }
    [ -n "$chosen_builds" ] || die "none of the chosen builds can be made here"
}

# binary_of PROGRAM BUILD plain|instr: its path. Builds that differ in instrumentation alone share `plain`.
binary_of() {
    local compiler options
    case $2-$3 in
    *-sleds-*-instr) echo "$work/accuracy-builds/$1/$2/$1" ;; # its options have a path
    *) build_flags $2 $3; echo "$work/accuracy-builds/$1/$compiler${options// /}/$1" ;;
    esac
}

# Builds what is missing or has another compiler, source or flag than it had, all sources together, the large ones first.
build_binaries() {
    local program build variant binary stamp source objects jobs=$results_dir/build.jobs links=$results_dir/build.links
    local -A seen=()
    : >"$jobs"
    : >"$links"
    for build in $chosen_builds; do
        command -v ${build%%-*} >/dev/null || die "${build%%-*}: not found (apt-get install ${build%%-*})"
    done
    for program in $chosen_programs; do
        describe_program $program
        for build in $chosen_builds; do
            for variant in plain instr; do
                binary=$(binary_of $program $build $variant)
                [ -z "${seen[$binary]:-}" ] || continue
                seen[$binary]=yes
                build_flags $build $variant
                stamp=$(printf '%s\n' "$($compiler --version | head -n 1)" "$options" "$flags" "${sources[@]}" | cksum)
                [ "$(cat "$binary.stamp" 2>/dev/null)" != "$stamp" ] || continue
                objects=${binary%/*}/objects
                rm -rf "${binary%/*}"
                mkdir -p "$objects"
                for source in "${sources[@]}"; do
                    printf '%d cd %q && %s -w -g %s %s -c %q\n' "$(stat -c %s "$source")" "$objects" $compiler "$options" \
                        "$(printf '%q ' $flags)" "$source" >>"$jobs"
                done
                printf '%s %q/*.o -o %q %s && echo %q >%q\n' $compiler "$objects" "$binary" "$libraries" "$stamp" \
                    "$binary.stamp" >>"$links"
            done
        done
    done
    [ ! -s "$jobs" ] || echo "compiling $(wc -l <"$jobs") files" >&2
    if ! { sort -rn "$jobs" | cut -d' ' -f2- | tr '\n' '\0' | xargs -0 -r -P "$(nproc)" -n 1 sh -ec && sh -e "$links"; } \
        >"$results_dir/build.log" 2>&1; then
        tail -n 20 "$results_dir/build.log" >&2
        die "a program could not be built ($results_dir/build.log)"
    fi
}

compiler_facts() {
    local compiler
    for compiler in $(printf '%s\n' $chosen_builds | cut -d- -f1 | sort -u); do
        printf "%-8s %s\n" "$compiler" "$($compiler --version | head -n 1)" | cut -c 1-110
    done
}
