#include "reporters/filter/filter_functions.h"

#include "reporters/symbols/symbols.h"

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

/* Source files by the line table; one pass for all of them. False: out of memory. */
static bool add_files(struct symbols *symbols, struct filter_functions *functions)
{
    struct line_query *queries = calloc(functions->count + 1, sizeof *queries);
    bool good = queries != NULL;
    for (size_t i = 0; good && i < functions->count; i++)
        queries[i] = (struct line_query){.address = functions->list[i].address, .is_function = true};
    if (good)
        symbols_lines(symbols, queries, functions->count);
    for (size_t i = 0; good && i < functions->count; i++)
        if (queries[i].line.file)
            good = (functions->list[i].file = strdup(queries[i].line.file)) != NULL;
    free(queries);
    return good;
}

bool filter_functions_read(struct filter_functions *functions, const char *path, bool want_files)
{
    char problem[512];
    struct symbol_source source = {.path = path};
    *functions = (struct filter_functions){NULL, 0};
    struct symbols *symbols = symbols_open(&source, problem, sizeof problem);
    if (!symbols)
        return true;
    size_t count = symbols_count(symbols);
    functions->list = calloc(count + 1, sizeof *functions->list);
    bool good = functions->list != NULL;
    for (size_t i = 0; good && i < count; i++) {
        const char *name;
        uint64_t address = symbols_entry(symbols, i, &name);
        good = (functions->list[i].name = strdup(name)) != NULL;
        functions->list[i].address = address;
        functions->count += good;
    }
    if (good && want_files)
        good = add_files(symbols, functions);
    symbols_close(symbols);
    return good;
}

void filter_functions_free(struct filter_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        free(functions->list[i].name);
        free(functions->list[i].file);
    }
    free(functions->list);
}
