#!/bin/bash
# compilers.sh [all|COMPILER...]: counts and paths are exact however a program is built. By itself a few ways that no other
# test has; with `all` every gcc and clang that is installed, each in every way; those of Debian that are not are named.
. "$(dirname "$0")/case.sh"
compilers=("$@")
[ "${1:-}" = all ] && compilers=(gcc-{11..16} clang-{14..21})
broken=0 tried=0

# in_mode MODE COMMAND...
in_mode()
{
    MODE=$1
    shift
    case $MODE in
    full) export PCOMP_OPTIONS="--mode full" ;;
    counts) export PCOMP_OPTIONS="--counts exact" ;;
    esac
    "$@"
}

# built MODE COMPILER LINK FLAGS [COMMAND]: builds call_shapes.c and holds it to its counts; COMMAND is done to the
# program before it runs.
built()
{
    local mode=$1 compiler=$2 link=$3 flags=$4 command=${5:-:} status
    drop "$PCOMP_DATA"
    (
        failures=0
        cd "$work" || exit 1 # where compilers leave what lies beside the program
        built_so() { build "$compiler" "$link" program "$flags" "$SOURCES/programs/call_shapes.c" && (cd "$work" && eval "$command") &&
            run 42 "$work/program" && silent && named "$command" && check && finish; }
        in_mode "$mode" built_so
    ) > "$work/said" 2>&1
    status=$?
    tried=$((tried + 1))
    [ $status = 77 ] && return
    [ $status = 0 ] || { broken=$((broken + 1)); echo "FAIL: $compiler $link $flags, $mode:"; head -12 "$work/said"; }
}

# Of a stripped program the functions that it exports have names.
named()
{
    case $1 in strip*) ;; *) return 0 ;; esac
    nm -D --defined-only "$work/program" | awk '{ print $NF }' > "$work/names"
    awk 'NR == FNR { known[$1] = 1; next } /^expect (calls|open)/ ? $3 in known : !/^expect path/' "$work/names" "$work/out" > "$work/out.named"
    mv "$work/out.named" "$work/out"
}

# profiled COMPILER: built with the profile of a run, as the compiler itself makes it
profiled()
{
    local compiler=$1 data=$work/pgo.$1
    case $compiler in
    g*)
        built full "$compiler" shared "-O2 -fprofile-generate -fprofile-update=atomic -fprofile-dir=$data"
        built full "$compiler" shared "-O2 -fprofile-use -fprofile-dir=$data -Wno-missing-profile"
        ;;
    clang*)
        built full "$compiler" shared "-O2 -fprofile-generate=$data"
        local tool=llvm-profdata${compiler#clang}
        command -v "$tool" > /dev/null || tool=llvm-profdata-$("$compiler" -dumpversion | sed 's/[.].*//')
        command -v "$tool" > /dev/null || return
        "$tool" merge -o "$work/merged" "$data"/*.profraw 2> /dev/null &&
            built full "$compiler" shared "-O2 -fprofile-use=$work/merged"
        ;;
    esac
}

# many COMPILER: 30,000 functions, each called twice
many()
{
    local compiler=$1
    {
        echo '#include "expect.h"'
        echo '#define A(n) __attribute__((noinline)) int f##n(int x) { return x + n; }'
        seq -f 'A(%.0f)' 1 30000
        echo 'int main(void) { int x = 0; for (int i = 0; i < 2; i++) {'
        seq -f 'x = f%.0f(x);' 1 30000
        echo '} EXPECT("calls f1 2"); EXPECT("calls f30000 2"); EXPECT("calls main 1"); return x == 1; }'
    } > "$work/many.c"
    drop "$PCOMP_DATA"
    (
        failures=0
        build "$compiler" shared many -O1 "$work/many.c"
        run 0 "$work/many"
        silent
        MODE=decided check
        finish
    ) > "$work/said" 2>&1 || { [ $? = 77 ] || { broken=$((broken + 1)); echo "FAIL: 30,000 functions, $compiler:"; head -12 "$work/said"; }; }
    tried=$((tried + 1))
}

every_way()
{
    local compiler=$1 flags
    for flags in -O0 -O1 -O2 -O3 -Os "-O2 -flto" "-O2 -fcf-protection=full" "-O2 -fno-omit-frame-pointer" "-O2 -gsplit-dwarf" \
        "-O2 -g0" "-O2 -fsanitize=address" "-O2 -ffunction-sections -Wl,--gc-sections"; do
        built full "$compiler" shared "$flags"
        built counts "$compiler" shared "$flags"
    done
    built full "$compiler" shared "-O2 -fsanitize=thread"
    built counts "$compiler" shared "-O2 -fsanitize=thread"
    built full "$compiler" static "-O2 -fPIE -static-pie"
    built full "$compiler" shared "-O2 -rdynamic" "strip program"
    profiled "$compiler"
    many "$compiler"
    for flags in -O0 -O2 -O3 -Os "-O2 -flto" "-O2 -fcf-protection=full"; do
        built counts "$compiler-sleds" shared "$flags"
    done
}

if [ $# -gt 0 ]; then
    known=
    for compiler in "${compilers[@]}"; do
        if command -v "$compiler" > /dev/null; then
            known="$known $compiler"
            echo "== $compiler"
            every_way "$compiler"
        elif apt-cache show "$compiler" > /dev/null 2>&1; then
            echo "== $compiler: not installed (apt-get install $compiler)"
        fi
    done
    [ -n "$known" ] || skip "none is installed: ${compilers[*]}"
else
    built full gcc shared -Os
    built counts gcc shared "-O2 -fcf-protection=full"
    built full gcc static "-O2 -static-pie"
    built full gcc shared "-O2 -gsplit-dwarf"
    built full gcc shared "-O2 -rdynamic" "strip program"
    built counts clang shared "-Os -flto=thin"
    profiled gcc
fi
echo "$tried ways"
[ $broken = 0 ] || fail "$broken of them"
finish
