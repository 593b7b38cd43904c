/* Preloaded: says when a program reads debug information. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <stdio.h>

Dwarf *dwarf_begin_elf(Elf *elf, Dwarf_Cmd command, Elf_Scn *section)
{
    Dwarf *(*next)(Elf *, Dwarf_Cmd, Elf_Scn *);
    *(void **)&next = dlsym(RTLD_NEXT, "dwarf_begin_elf");
    printf("reads debug information\n");
    return next(elf, command, section);
}
