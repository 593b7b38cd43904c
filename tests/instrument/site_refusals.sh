#!/bin/bash
# Sites where the system does not let code be changed: hook calls are counted by their hooks, exactly; of sleds nothing is
# measured, and the program runs as ever.
. "$(dirname "$0")/case.sh"
cat > "$work/program.c" << 'C'
#include "expect.h"
__asm__(".text\n.skip 3000000, 0x90\n"); /* more code than a file may have */
__attribute__((noinline)) int leaf(int x) { COUNT(); return x + 1; }
int main(void)
{
    COUNT();
    volatile int x = 0;
    for (int i = 0; i < 100000; i++)
        x = leaf(x);
    expect_counts();
    expect_untouched();
    return 5;
}
C
gcc -O1 -w -o "$work/refused" "$SOURCES/programs/refused.c" || exit 1
"$work/refused" /bin/true || skip "no seccomp here"
limited() # COMMAND...: where files have at most 2000 KiB
{
    ulimit -f 2000
    "$@"
}
for form in gcc gcc-sleds clang-sleds; do
    (sites_of $form) > /dev/null || { echo "$form is left out: no plugin"; continue; }
    build $form shared program -O1 "$work/program.c"
    for way in "$work/refused" limited; do
        drop "$PCOMP_DATA"
        run 5 $way "$work/program"
        case $form in
        *-sleds) # nothing is known of calls, and that is said
            says "sleds that cannot be switched: "
            grep -q "^expect calls.*leaf 100000$" "$work/out" || fail "the program's output is not as ever"
            ;;
        *) silent; check ;;
        esac
    done
done

# A program whose mremap drops the place, as that of UCX below an MPI: the code is changed all the same.
cat > "$work/dropping.c" << 'C'
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((no_instrument_function)) void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
    return (void *)syscall(SYS_mremap, at, size, new_size, flags, 0);
}
C
sed '/skip 3000000/d' "$work/program.c" > "$work/small.c"
build gcc shared program -O1 "$work/small.c" "$work/dropping.c"
drop "$PCOMP_DATA"
run 5 "$work/program"
"$PCOMP" info "$PCOMP_DATA" > "$work/info"
! grep "cannot be switched" "$work/info" || fail "the mremap of the program was taken"

# A map that is damaged: what is right in it is measured, and the rest is named.
cat > "$work/damage.c" << 'C'
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* damage FILE AT BYTE STEP: in each STEP'th entry of the file's map of sleds the byte AT is changed */
int main(int argc, char **argv)
{
    static char bytes[1 << 24];
    FILE *f = fopen(argv[1], "r+");
    size_t size = fread(bytes, 1, sizeof(bytes), f);
    Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (!strcmp(bytes + sections[header->e_shstrndx].sh_offset + sections[i].sh_name, "xray_instr_map"))
            for (size_t at = 0; at < sections[i].sh_size; at += 32 * atol(argv[4]))
                bytes[sections[i].sh_offset + at + atol(argv[2])] = (char)atol(argv[3]);
    rewind(f);
    return fwrite(bytes, 1, size, f) != size;
}
C
gcc -w -o "$work/damage" "$work/damage.c" || exit 1
build clang-sleds shared sound -O1 "$SOURCES/programs/call_shapes.c"
for damage in "18 1 1:none of whose" "18 1 7:version" "16 9 7:neither enter" "7 127 7:out of the code" "0 3 7:bytes are not"; do
    cp "$work/sound" "$work/program"
    # shellcheck disable=SC2086
    "$work/damage" "$work/program" ${damage%%:*} || exit 1
    drop "$PCOMP_DATA"
    run 42 "$work/program"
    says "${damage#*:}"
done

# Functions whose sleds stand between a comparison and the jump that needs it are left alone, and the others measured. Not
# every clang makes them.
has_conditional_tail() { objdump -d --no-show-raw-insn "$work/program" | grep -E "\bj[a-ln-z][a-z]* .*<(leaf|_Z4leafi)>"; }
for form in clang-sleds clang++-sleds; do
    drop "$PCOMP_DATA"
    build $form shared program "-Os -foptimize-sibling-calls" "$SOURCES/programs/conditional_tails.c"
    run 0 "$work/program"
    has_conditional_tail >"$work/tail" && says "tail calls by conditional jumps"
    check
done
finish
