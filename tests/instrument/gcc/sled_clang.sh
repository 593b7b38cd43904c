#!/bin/bash
# The plugin's sleds and clang's are the same to their reader: one program, built by both, read, checked and patched alike.
. "$(dirname "$0")/sled_case.sh"
command -v clang > /dev/null || { echo "SKIPPED: no clang"; exit 77; }
. "$TOP/tests/support/xray_options.sh"
build_patcher || finish
options=$(xray_options clang)
clang_sleds()
{
    # shellcheck disable=SC2086
    clang -w -I"$TOP" $options "$@"
}
for flags in -O0 -O2 "-O2 -fcf-protection=full -fPIC -ffunction-sections -Wl,--gc-sections"; do
    for compiler in clang gcc; do
        # shellcheck disable=SC2086
        quiet ${compiler}_sleds $flags "$here/programs/sled_clang.c" patcher.o -o "$compiler" || continue
        quiet "$CHECK" "$compiler" has=leaf has=tail has=twice has=main
        quiet "./$compiler"
    done
done
# In one program
quiet clang_sleds -O2 -c "$here/programs/sled_clang.c" -o clang.o
echo 'int of_gcc(int n) { return n; }' > other.c
quiet gcc_sleds -O2 -c other.c -o other.o && quiet gcc_sleds clang.o other.o patcher.o -o both &&
    quiet "$CHECK" both note has=leaf has=of_gcc && quiet ./both
finish
