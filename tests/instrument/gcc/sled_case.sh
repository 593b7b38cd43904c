# shellcheck shell=bash
# Sourced by the scripts of this directory. Environment, set by CMakeLists.txt: PLUGIN (its path), GCC and GXX (the compilers
# that it fits), TOP (of the tree), CHECK (check_sled_map). Everything happens in a directory that is removed at the end.
set -u
here=$TOP/tests/instrument/gcc
work=$(mktemp -d "${TMPDIR:-/tmp}/pcomp-sleds.XXXXXX")
trap 'status=$?; rm -rf "$work"; exit $status' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
failures=0

fail()
{
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

finish()
{
    [ "$failures" = 0 ]
    exit
}

# quiet COMMAND... : its output only where it fails
quiet()
{
    "$@" > log 2>&1 && return 0
    fail "$*"
    head -30 log >&2
    return 1
}

gcc_plain()
{
    "$GCC" -w -D_GNU_SOURCE -I"$TOP" "$@"
}

gcc_sleds()
{
    gcc_plain -fplugin="$PLUGIN" "$@"
}

gxx_sleds()
{
    "$GXX" -w -D_GNU_SOURCE -I"$TOP" -fplugin="$PLUGIN" "$@"
}

# patcher.o: sleds_patch() and what it needs
build_patcher()
{
    quiet gcc_plain -O1 -fPIC -c "$here/sled_patcher.c" -o sled_patcher.o &&
        quiet gcc_plain -O1 -fPIC -c "$here/sled_file.c" -o sled_map.o && quiet ld -r -o patcher.o sled_patcher.o sled_map.o
}
