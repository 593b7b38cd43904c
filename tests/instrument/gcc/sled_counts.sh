#!/bin/bash
# sled_counts.sh FLAGS: the two programs that count their own calls, built so, must have the sleds that pcomp-sleds(5)
# promises, and count at their sleds what they count by hand.
. "$(dirname "$0")/sled_case.sh"
flags=$1
for linker in lld gold; do
    case $flags in *-fuse-ld=$linker*) command -v ld.$linker > /dev/null || { echo "SKIPPED: no ld.$linker"; exit 77; } ;; esac
done
build_patcher || finish
# Trampolines of nested functions are on the stack; lld does not see that they are.
# shellcheck disable=SC2086
if quiet gcc_sleds $flags -Wl,-z,execstack "$here/programs/sled_counts.c" patcher.o -o counts; then
    quiet "$CHECK" counts note lacks=main lacks=unseen endless=for_ever endless=jump
    quiet ./counts
fi
# shellcheck disable=SC2086
if quiet gxx_sleds $flags "$here/programs/sled_classes.cc" "$here/programs/sled_classes_other.cc" patcher.o -o classes; then
    quiet "$CHECK" classes note
    quiet ./classes
fi
finish
