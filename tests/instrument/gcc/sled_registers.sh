#!/bin/bash
# The caller of programs/sled_registers.c under everything that turns -fipa-ra on. Each time the control, without the
# plugin, must go wrong: otherwise the program does not test what it is for.
. "$(dirname "$0")/sled_case.sh"
build_patcher || finish
program=$here/programs/sled_registers.c
echo '#pragma GCC optimize("O2", "ipa-ra")' > pragma.h
while read -r flags; do
    # shellcheck disable=SC2086
    quiet gcc_plain -fcf-protection=none $flags -DCONTROL "$program" patcher.o -o control
    ./control > log && fail "the control does not go wrong: $flags"
    # shellcheck disable=SC2086
    quiet gcc_sleds $flags "$program" patcher.o -o registers && quiet ./registers
done << 'END'
-O2
-O3
-Os
-O1 -fipa-ra
-O2 -flto
-O1 -DOPTIONS=__attribute__((optimize("O2","ipa-ra")))
-O1 -include pragma.h
END
finish
