#include "reporters/filter_functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOOK "__cyg_profile_func_enter"

/* Calls visit for each symbol of the sections of one type until it returns false. */
static void each_symbol(Elf *elf, GElf_Word type, bool (*visit)(void *, const GElf_Sym *, const char *), void *context)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != type || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (size_t i = 0; i < data->d_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            const char *name;
            if (gelf_getsym(data, (int)i, &symbol) && (name = elf_strptr(elf, header.sh_link, symbol.st_name)) &&
                !visit(context, &symbol, name))
                return;
        }
    }
}

static bool find_hook(void *found, const GElf_Sym *symbol, const char *name)
{
    (void)symbol;
    if (strcmp(name, HOOK) != 0)
        return true;
    *(bool *)found = true;
    return false;
}

/* NULL unless path is an ELF object; *fd is then to be closed after elf_end. */
static Elf *elf_open(const char *path, int *fd)
{
    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = *fd >= 0 ? elf_begin(*fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        return elf;
    elf_end(elf);
    if (*fd >= 0)
        close(*fd);
    return NULL;
}

bool filter_is_instrumented(const char *path)
{
    bool found = false;
    int fd;
    Elf *elf = elf_open(path, &fd);
    if (!elf)
        return false;
    each_symbol(elf, SHT_DYNSYM, find_hook, &found);
    if (!found)
        each_symbol(elf, SHT_SYMTAB, find_hook, &found);
    elf_end(elf);
    close(fd);
    return found;
}

bool filter_has_glibc_loader(const char *path)
{
    size_t count = 0;
    bool found = false;
    int fd;
    Elf *elf = elf_open(path, &fd);
    if (!elf)
        return false;
    for (size_t i = 0; elf_getphdrnum(elf, &count) == 0 && i < count && !found; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_INTERP)
            continue;
        Elf_Data *name = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
        found = name && name->d_size && memmem(name->d_buf, name->d_size, "/ld-linux", 9);
    }
    elf_end(elf);
    close(fd);
    return found;
}

struct collected {
    struct filter_functions *functions;
    size_t capacity;
    bool no_memory;
};

static bool collect(void *context, const GElf_Sym *symbol, const char *name)
{
    struct collected *collected = context;
    struct filter_functions *functions = collected->functions;
    int type = GELF_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || !*name)
        return true;
    if (functions->count == collected->capacity) {
        size_t capacity = collected->capacity ? 2 * collected->capacity : 256;
        struct filter_function *list = reallocarray(functions->list, capacity, sizeof *list);
        if (!list) {
            collected->no_memory = true;
            return false;
        }
        functions->list = list;
        collected->capacity = capacity;
    }
    char *copy = strdup(name);
    collected->no_memory |= !copy;
    if (copy)
        functions->list[functions->count++] = (struct filter_function){symbol->st_value, copy, NULL};
    return copy != NULL;
}

static int by_address(const void *a, const void *b)
{
    const struct filter_function *x = a, *y = b;
    return x->address != y->address ? (x->address > y->address ? 1 : -1) : strcmp(x->name, y->name);
}

/* Source files by the line table, from separate debug files too. */
static void add_files(struct filter_functions *functions, const char *path)
{
    static char *debug_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &debug_path};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module = dwfl ? dwfl_report_offline(dwfl, "", path, -1) : NULL;
    if (module && dwfl_report_end(dwfl, NULL, NULL) == 0) {
        GElf_Addr bias = 0;
        dwfl_module_getelf(module, &bias);
        for (size_t i = 0; i < functions->count; i++) {
            Dwfl_Line *line = dwfl_module_getsrc(module, functions->list[i].address + bias);
            const char *file = line ? dwfl_lineinfo(line, NULL, NULL, NULL, NULL, NULL) : NULL;
            functions->list[i].file = file ? strdup(file) : NULL;
        }
    }
    dwfl_end(dwfl);
}

bool filter_functions_read(struct filter_functions *functions, const char *path, bool want_files)
{
    struct collected collected = {.functions = functions};
    *functions = (struct filter_functions){NULL, 0};
    int fd;
    Elf *elf = elf_open(path, &fd);
    if (!elf)
        return true;
    each_symbol(elf, SHT_SYMTAB, collect, &collected);
    if (!functions->count)
        each_symbol(elf, SHT_DYNSYM, collect, &collected);
    elf_end(elf);
    close(fd);
    if (functions->count)
        qsort(functions->list, functions->count, sizeof *functions->list, by_address);
    if (want_files)
        add_files(functions, path);
    return !collected.no_memory;
}

void filter_functions_free(struct filter_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        free(functions->list[i].name);
        free(functions->list[i].file);
    }
    free(functions->list);
}
