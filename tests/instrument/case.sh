# shellcheck shell=bash
# Sourced by the scripts of this directory: builds, runs and checks one small real program.
# Environment, set by CMakeLists.txt: MODE (full, counts, trace or decided by the options), SOURCES (this directory), TOP (of the
# tree), LIBDIR (libpcomp), CHECK, CHECK_TRACE and DUMP (the tools), PCOMP (the command), SANITIZE (as in
# -fsanitize=, may be empty). Everything happens in a directory that is removed at the end.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/pcomp-case.XXXXXX")
# Removes data directories, and the profiles of processes that died, which lie in memory.
drop()
{
    find "$@" -name '*.pcomp' -type l 2>/dev/null | while read -r link; do
        rm -f "$(readlink "$link")"
    done
    rm -rf "$@"
}
clean_up()
{
    drop "$work"
}
trap 'status=$?; clean_up; exit $status' EXIT
trap 'exit 1' INT TERM
export PCOMP_DATA="$work/data"
unset PCOMP_OPTIONS PCOMP_RUN_ID LD_PRELOAD
mode_options=
[ "$MODE" = full ] && mode_options="--mode full" && export PCOMP_OPTIONS="$mode_options"
[ "$MODE" = trace ] && mode_options="--trace --trace-all" && export PCOMP_OPTIONS="$mode_options"
[ "$MODE" = counts ] && mode_options="--counts exact" && export PCOMP_OPTIONS="$mode_options"
export TSAN_OPTIONS="suppressions=$SOURCES/tsan.supp"
export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 UBSAN_OPTIONS=print_stacktrace=1
failures=0
HANGS_AFTER=${HANGS_AFTER:-100} # seconds
. "$TOP/tests/support/xray_options.sh"

fail()
{
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

skip()
{
    echo "SKIPPED: $*"
    exit 77
}

# The arguments with which COMPILER makes sites: hook calls, or sleds where its name ends in -sleds. Sleds are left behind
# inlining: a function that a program counts stays one, under its name, and returns by itself.
whole="-fno-inline -fno-optimize-sibling-calls"
sites_of()
{
    local options= plugin=
    case $1 in
    clang*-sleds)
        options=$(xray_options "${1%-sleds}") || skip "no sleds of ${1%-sleds}"
        echo "$options $whole"
        ;;
    g*-sleds)
        plugin=$LIBDIR/pcomp/gcc-$("${1%-sleds}" -dumpversion | sed 's/[.].*//')/pcomp_sleds.so
        [ -e "$plugin" ] || skip "no plugin for this gcc"
        echo "-fplugin=$plugin $whole -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf"
        ;;
    *) echo -finstrument-functions ;;
    esac
}

# build COMPILER LINK OUTPUT FLAGS SOURCE... : COMPILER is a name, or one of gcc-sleds, g++-sleds, clang-sleds,
# clang++-sleds; LINK is shared, static, fullstatic, preload or none.
build()
{
    local compiler=${1%-sleds} link=$2 output=$3 flags=$4 libraries= needed= sites
    sites=$(sites_of "$1") || { echo "$sites"; exit 77; }
    case $1:$link in # sleds refer to nothing
    *-sleds:*static) libraries="-Wl,-u,pcomp_sleds_anchor" ;;
    *-sleds:shared) needed="-Wl,--no-as-needed" ;;
    esac
    shift 4
    case $link in
    shared) libraries="-L$LIBDIR $needed -lpcomp -Wl,-rpath,$LIBDIR" ;;
    static) libraries="$libraries $LIBDIR/libpcomp.a -ldl" ;;
    fullstatic) libraries="$libraries -static $LIBDIR/libpcomp.a" ;;
    esac
    case $flags in # the linker plug-in shows the references to the hooks too late; libc has empty hooks of its own
    *-flto*) libraries="-Wl,--no-as-needed -Wl,-u,__cyg_profile_func_enter $libraries" ;;
    esac
    [ "$MODE" = counts ] && flags="$flags -DCOUNTED"
    [[ $link = *static ]] && flags="$flags -DSAMPLER_SEEN"
    [ -n "$SANITIZE" ] && flags="$flags -fsanitize=$SANITIZE -fno-omit-frame-pointer"
    command -v "$compiler" > /dev/null || skip "no $compiler here"
    local source inputs=()
    for source; do
        inputs+=("$source")
        case $compiler:$source in
        *++:*.c) # C beside C++
            inputs[-1]="$work/$(basename "$source").o"
            # shellcheck disable=SC2086
            "$(echo "$compiler" | sed 's/clang++/clang/; t; s/g++/gcc/')" -c -g -w $sites -I"$TOP" \
                -I"$SOURCES/programs" $flags -o "${inputs[-1]}" "$source" || { fail "$source does not build"; exit 1; }
            ;;
        esac
    done
    # shellcheck disable=SC2086
    "$compiler" -g -w $sites -I"$TOP" -I"$SOURCES/programs" $flags -o "$work/$output" \
        "${inputs[@]}" $libraries -lpthread -lm 2> "$work/warnings" || { cat "$work/warnings"; fail "$output does not build"; exit 1; }
}

# A program that still runs when its test is about to be ended: where each of its processes is.
say_where()
{
    local process
    for process in $(pgrep -f "^$work/"); do
        echo "HANGS: process $process, $(tr '\0' ' ' < "/proc/$process/cmdline")"
        grep -E '^(State|PPid|Threads|Sig|Shd)' "/proc/$process/status"
        eu-stack -p "$process"
    done >&2
}

# run STATUS COMMAND... : standard output goes to $work/out, error output to $work/err.
run()
{
    local wanted=$1
    shift
    { exec {never}<> <(:) && ! read -r -t "$HANGS_AFTER" -u "$never" && say_where; } &
    local watch=$!
    (cd "$work" && "$@") > "$work/out" 2> "$work/err"
    local status=$?
    { kill $watch && wait $watch; } 2> /dev/null
    if [ "$status" != "$wanted" ]; then
        fail "'$*' ended with $status instead of $wanted"
        head -30 "$work/err" >&2
    fi
}

# The profile must exist and agree with the "expect" lines of $work/out and of the arguments.
check()
{
    local filtered='^$' # what a program says of paths and times does not hold where functions are filtered out
    case "${PCOMP_OPTIONS:-}" in *--only* | *--skip*) filtered='^expect \(path\|elapsed\|named\)[ @]' ;; esac # a thread may meet no site
    { printf '%s\n' "$@"; grep -v "$filtered" "$work/out"; } | grep '^expect' > "$work/expectations"
    case "$MODE ${PCOMP_OPTIONS:-}" in
    decided* | trace* | *--model* | *--clock* | *--call-sites*) ;; # another mode than asked for
    *) echo "expect mode $MODE" >> "$work/expectations" ;;
    esac
    if [ "$MODE" = trace ]; then
        "$CHECK_TRACE" "$work/expectations" "$PCOMP_DATA" > "$work/misses" 2>&1 || {
            fail "the traces are not as expected:"
            head -15 "$work/misses" >&2
        }
        return
    fi
    set -- "$PCOMP_DATA"/*.pcomp
    [ -e "$1" ] || { fail "there is no profile in $PCOMP_DATA"; return; }
    "$CHECK" "$work/expectations" "$@" > "$work/misses" 2>&1 || {
        fail "the profile is not as expected:"
        grep -v '^native' "$work/misses" | head -15 >&2
        "$DUMP" "$@" | head -${DUMP_LINES:-25} >&2
    }
}

silent()
{
    [ -s "$work/err" ] || return 0
    fail "error output:"
    head -20 "$work/err" >&2
}

says()
{
    grep -q -- "$1" "$work/err" || { fail "no message with '$1'"; head -20 "$work/err" >&2; }
    [ "$(grep -c '^pcomp: ' "$work/err")" -le "${2:-1}" ] || { fail "too many messages"; head -20 "$work/err" >&2; }
}

finish()
{
    [ "$failures" = 0 ]
    exit
}
