#include "reporters/filter/hooked_functions.h"

#include "compensation/numeric/sorted.h"
#include "reporters/filter/module_sites.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOOK        "__cyg_profile_func_enter"
#define TARGETS_MAX 64
#define CALLS_MAX   2  /* are counted of a function */
#define SLED_ENTRY  32 /* bytes of the sleds' map */

/* Where a call of the hook leads: to its code, to a stub of the procedure linkage table, or through a slot of the
 * global offset table. */
struct hook_targets {
    uint64_t code[TARGETS_MAX], slots[TARGETS_MAX];
    size_t code_count, slot_count;
};

static void note(uint64_t *list, size_t *count, uint64_t address)
{
    if (*count < TARGETS_MAX)
        list[(*count)++] = address;
}

static bool has(const uint64_t *list, size_t count, uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == address)
            return true;
    return false;
}

/* --- Where calls lead --------------------------------------------------------------------------------------------- */

static bool is_hook(Elf *elf, const GElf_Shdr *symbols, const GElf_Sym *symbol)
{
    const char *name = elf_strptr(elf, symbols->sh_link, symbol->st_name);
    return name && !strcmp(name, HOOK);
}

static void find_definitions(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct hook_targets *targets)
{
    GElf_Sym symbol;
    for (size_t i = 0; header->sh_entsize && i < data->d_size / header->sh_entsize; i++)
        if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF && is_hook(elf, header, &symbol))
            note(targets->code, &targets->code_count, symbol.st_value);
}

static void find_slots(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct hook_targets *targets)
{
    GElf_Shdr symbols_header;
    Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
    Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
    if (!symbol_data || !gelf_getshdr(symbols, &symbols_header))
        return;
    GElf_Rela relocation;
    GElf_Sym symbol;
    for (size_t i = 0; header->sh_entsize && i < data->d_size / header->sh_entsize; i++)
        if (gelf_getrela(data, (int)i, &relocation) &&
            gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol) &&
            is_hook(elf, &symbols_header, &symbol))
            note(targets->slots, &targets->slot_count, relocation.r_offset);
}

static uint64_t relative_target(const unsigned char *displacement, uint64_t next)
{
    int32_t offset;
    memcpy(&offset, displacement, sizeof offset);
    return next + (uint64_t)(int64_t)offset;
}

/* `jmp *slot(%rip)`, with and without `bnd`, behind `endbr64` or not: a stub may begin at each of these. */
static void find_stubs(const unsigned char *code, size_t size, uint64_t address, struct hook_targets *targets)
{
    for (size_t i = 0; i + 6 <= size; i++) {
        if (code[i] != 0xff || code[i + 1] != 0x25 ||
            !has(targets->slots, targets->slot_count, relative_target(code + i + 2, address + i + 6)))
            continue;
        size_t begin = i - (i >= 1 && code[i - 1] == 0xf2);
        note(targets->code, &targets->code_count, address + begin);
        if (begin >= 4 && !memcmp(code + begin - 4, "\xf3\x0f\x1e\xfa", 4))
            note(targets->code, &targets->code_count, address + begin - 4);
    }
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* The last function that begins at or before the address. */
static size_t function_at(const struct filter_functions *functions, uint64_t address)
{
    size_t behind;
    SORTED_FIND(behind, functions->count, functions->list[behind].address <= address);
    return behind ? behind - 1 : 0;
}

/* Not decoded from the start: that four bytes by chance lead to the very hook is next to impossible. */
static void find_calls(const unsigned char *code, size_t size, uint64_t address, const struct hook_targets *targets,
                       const struct filter_functions *functions, unsigned char *calls)
{
    for (size_t i = 0; i + 5 <= size; i++) {
        bool found = false;
        if (code[i] == 0xe8 || code[i] == 0xe9)
            found = has(targets->code, targets->code_count, relative_target(code + i + 1, address + i + 5));
        else if (code[i] == 0xff && (code[i + 1] == 0x15 || code[i + 1] == 0x25) && i + 6 <= size)
            found = has(targets->slots, targets->slot_count, relative_target(code + i + 2, address + i + 6));
        if (!found || !functions->count || functions->list[0].address > address + i)
            continue;
        unsigned char *of = &calls[function_at(functions, address + i)];
        *of += *of < CALLS_MAX;
    }
}

/* Functions of the entries of version 2 of the sleds' map (pcomp-sleds(5)): their addresses are relative to where they
 * stand. */
static void find_sleds(const unsigned char *map, size_t size, uint64_t address,
                       const struct filter_functions *functions, unsigned char *calls)
{
    for (size_t at = 0; at + SLED_ENTRY <= size && functions->count; at += SLED_ENTRY) {
        int64_t offset;
        memcpy(&offset, map + at + 8, sizeof offset);
        uint64_t function = address + at + 8 + (uint64_t)offset;
        if (map[at + 16] == 0 && map[at + 18] == 2 && functions->list[0].address <= function)
            calls[function_at(functions, function)] = 1;
    }
}

/* Calls visit for each section with data. */
enum pass { FIND_DEFINITIONS, FIND_SLOTS, FIND_STUBS, FIND_CALLS };

static void each_section(Elf *elf, enum pass pass, struct hook_targets *targets,
                         const struct filter_functions *functions, unsigned char *calls)
{
    Elf_Scn *section = NULL;
    size_t names;
    while (elf_getshdrstrndx(elf, &names) == 0 && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS || !(data = elf_getdata(section, NULL)) ||
            !data->d_buf)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (pass == FIND_CALLS && name && !strcmp(name, MODULE_SLED_MAP))
            find_sleds(data->d_buf, data->d_size, header.sh_addr, functions, calls);
        bool code = header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR),
             stubs = code && name && !strncmp(name, ".plt", 4);
        if (pass == FIND_DEFINITIONS && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            find_definitions(elf, data, &header, targets);
        else if (pass == FIND_SLOTS && header.sh_type == SHT_RELA)
            find_slots(elf, data, &header, targets);
        else if (pass == FIND_STUBS && stubs)
            find_stubs(data->d_buf, data->d_size, header.sh_addr, targets);
        else if (pass == FIND_CALLS && code && !stubs)
            find_calls(data->d_buf, data->d_size, header.sh_addr, targets, functions, calls);
    }
}

/* Counts the calls of the hook in the code of each function; its sleds are one. False: it cannot be told. */
static bool count_calls(const char *path, const struct filter_functions *functions, unsigned char *calls)
{
    struct hook_targets targets = {.code_count = 0};
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    bool known = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64 &&
                 gelf_getclass(elf) == ELFCLASS64;
    for (enum pass pass = FIND_DEFINITIONS; known && pass <= FIND_CALLS; pass++)
        each_section(elf, pass, &targets, functions, calls);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return known;
}

/* False: out of memory. The list of calls is to be freed. */
static bool read_calls(struct filter_functions *functions, const char *path, bool want_files, unsigned char **calls,
                       bool *decoded)
{
    if (!filter_functions_read(functions, path, want_files))
        return false;
    *calls = calloc(functions->count + 1, sizeof **calls);
    if (!*calls) {
        filter_functions_free(functions);
        return false;
    }
    *decoded = count_calls(path, functions, *calls);
    return true;
}

bool hooked_functions_read(struct filter_functions *functions, const char *path, bool want_files, bool *decoded)
{
    unsigned char *calls;
    if (!read_calls(functions, path, want_files, &calls, decoded))
        return false;
    size_t kept = 0;
    for (size_t i = 0; *decoded && i < functions->count; i++) {
        if (calls[i]) {
            functions->list[kept++] = functions->list[i];
        } else {
            free(functions->list[i].name);
            free(functions->list[i].file);
        }
    }
    if (*decoded)
        functions->count = kept;
    free(calls);
    return true;
}

bool hooked_functions_inlined(const char *path)
{
    struct filter_functions functions;
    unsigned char *calls;
    bool decoded, inlined = false;
    if (module_sites_mapped(path))
        return false;
    if (!read_calls(&functions, path, false, &calls, &decoded))
        return true;
    for (size_t i = 0; decoded && i < functions.count; i++)
        inlined |= calls[i] > 1;
    free(calls);
    filter_functions_free(&functions);
    return inlined || !decoded;
}
