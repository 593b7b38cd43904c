#!/bin/bash
# What the plugin refuses: one error that says what to do, and no object.
. "$(dirname "$0")/sled_case.sh"
echo 'int f(int n) { return n; }' > f.c

# refused TEXT COMMAND... : TEXT is an extended regular expression
refused()
{
    local text=$1
    shift
    rm -f f.o
    "$@" -c f.c -o f.o > log 2>&1 && fail "not refused: $*"
    [ ! -e f.o ] || fail "an object in spite of the refusal: $*"
    grep -qE -e "$text" log || { fail "no '$text' from $*"; head -5 log >&2; }
    [ "$(grep -c 'pcomp: ' log)" = 1 ] || { fail "not one message from $*"; head -5 log >&2; }
}
refused 'x86-64 only' gcc_sleds -m32
refused 'x86-64 only' gcc_sleds -mx32
refused '-finstrument-functions.* would both measure' gcc_sleds -finstrument-functions
refused '-fsplit-stack' gcc_sleds -fsplit-stack
refused 'register r11 reserved' gcc_sleds -ffixed-r11
refused 'register r11 reserved' gcc_sleds -fcall-saved-r11
refused 'takes no arguments' gcc_sleds -fplugin-arg-pcomp_sleds-anything
echo 'register long r asm("r11"); int f(int n) { return n; }' > f.c
refused 'register r11 reserved' gcc_sleds
echo 'int f(int n) { return n; }' > f.c

# Another gcc: one that is installed, and the same of another day.
other='was built for gcc .*, this is gcc .*: build pcomp with this compiler'
for compiler in gcc-{9..16}; do
    command -v "$compiler" > /dev/null || continue
    [ "$("$compiler" -dumpfullversion)" = "$("$GCC" -dumpfullversion)" ] && continue
    "$compiler" -fplugin="$PLUGIN" -c f.c -o f.o > log 2>&1 && fail "$compiler takes the plugin"
    grep -qE "$other|cannot load plugin" log || fail "$compiler says nothing of it"
done
day=$(sed -n 's/.*datestamp.*"\([0-9]*\)".*/\1/p' "$("$GCC" -print-file-name=plugin)/include/plugin-version.h")
LC_ALL=C sed "s/$day/19991231/g" "$PLUGIN" > pcomp_sleds.so
PLUGIN=$work/pcomp_sleds.so refused "$other" gcc_sleds
finish
