/* dwarf_regression PROGRAM: runs the fuzz target of the ordinary build's reader on a program, and on simple damage of
 * its debugging information, its symbols and its section headers. */
#include "reporters/symbols/dwarf_functions.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t data[1 << 20];
static size_t size;
static unsigned runs;

static void damage(size_t from, size_t to, size_t step)
{
    static const uint8_t masks[] = {0xff, 0x01, 0x80};
    for (size_t at = from; at < to && at < size; at += step)
        for (size_t k = 0; k < sizeof masks; k++) {
            data[at] ^= masks[k];
            LLVMFuzzerTestOneInput(data, size);
            data[at] ^= masks[k];
            runs++;
        }
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size = file ? fread(data, 1, sizeof data, file) : 0;
    Elf64_Ehdr header;
    if (size < sizeof header || size == sizeof data) {
        fprintf(stderr, "usage: dwarf_regression PROGRAM\n");
        return 1;
    }
    fclose(file);
    memcpy(&header, data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr) > size) {
        printf("SKIPPED: no 64-bit program\n");
        return 77;
    }
    struct dwarf_functions functions;
    char error[256];
    if (!dwarf_functions_read(&functions, argv[1], error, sizeof error)) {
        printf("%s\n", error);
        return 1;
    }
    dwarf_functions_free(&functions);
    for (size_t cut = 0; cut < size; cut += 499)
        LLVMFuzzerTestOneInput(data, cut);
    Elf64_Shdr names;
    memcpy(&names, data + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
        const char *name = (const char *)data + names.sh_offset + section.sh_name;
        if (!strncmp(name, ".debug_", 7) || section.sh_type == SHT_SYMTAB)
            damage(section.sh_offset, section.sh_offset + section.sh_size, 3);
    }
    damage(header.e_shoff, size, 3);
    printf("%u inputs\n", runs);
    return runs < 1000;
}
