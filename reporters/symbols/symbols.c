#include "reporters/symbols/symbols.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"
#include "reporters/symbols/debug_file.h"
#include "reporters/symbols/symbol_inlines.h"
#include "reporters/symbols/symbol_lines.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct entry {
    uint64_t address;
    const char *name; /* in the mapped file, or in `copies` */
    uint64_t size;
    unsigned rank; /* less is better */
};

struct symbols {
    struct elf_file main, debug; /* either may be missing */
    Dwarf *dwarf;
    struct inline_index *inlines;
    bool looked_for_inlines;
    struct entry *entries; /* by address, one each */
    size_t count, room;
    char **copies; /* names that had to be cut */
    size_t copy_count;
};

/* --- Which names there are ---------------------------------------------------------------------------------------- */

static const char *without_version(struct symbols *s, const char *name)
{
    const char *at = strchr(name, '@');
    if (!at || at == name)
        return name;
    char **grown = realloc(s->copies, (s->copy_count + 1) * sizeof *grown);
    if (!grown)
        return name;
    s->copies = grown;
    char *copy = strndup(name, (size_t)(at - name));
    if (!copy)
        return name;
    return s->copies[s->copy_count++] = copy;
}

static unsigned rank_of(const GElf_Sym *symbol, const char *name)
{
    unsigned bind = GELF_ST_BIND(symbol->st_info);
    unsigned by_bind = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
    unsigned is_code = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE;
    /* of strong aliases the plain name is the one that people know: read, not __libc_read */
    unsigned reserved = name[0] == '_' && name[1] == '_';
    return is_code << 4 | by_bind << 2 | reserved << 1 | (symbol->st_size == 0);
}

static bool add_symbols(struct symbols *s, Elf *elf, GElf_Word type)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != type || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        size_t count = data->d_size / header.sh_entsize;
        for (size_t i = 0; i < count; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
                continue;
            unsigned kind = GELF_ST_TYPE(symbol.st_info);
            if (kind != STT_FUNC && kind != STT_GNU_IFUNC && kind != STT_NOTYPE)
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (!name || !*name || (kind == STT_NOTYPE && (name[0] == '$' || name[0] == '.')))
                continue;
            if (!ARRAY_ROOM(s->entries, s->count, s->room))
                return false;
            s->entries[s->count++] = (struct entry){.address = symbol.st_value,
                                                    .name = without_version(s, name),
                                                    .size = symbol.st_size,
                                                    .rank = rank_of(&symbol, name)};
        }
    }
    return true;
}

static int compare_entries(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    size_t length = strlen(a->name), other = strlen(b->name);
    if (length != other)
        return length < other ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_entries(struct symbols *s)
{
    if (!s->count)
        return;
    qsort(s->entries, s->count, sizeof *s->entries, compare_entries);
    size_t kept = 1;
    for (size_t i = 1; i < s->count; i++)
        if (s->entries[i].address != s->entries[kept - 1].address)
            s->entries[kept++] = s->entries[i];
    s->count = kept;
}

/* --- Which files there are ---------------------------------------------------------------------------------------- */

bool symbols_is_same(const struct elf_file *file, const struct symbol_source *source)
{
    struct stat st;
    if (source->build_id_size)
        return elf_file_has_build_id(file, source->build_id, source->build_id_size);
    return !source->file_size ||
           (fstat(file->fd, &st) == 0 && (uint64_t)st.st_size == source->file_size &&
            (!source->file_mtime_ns ||
             (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec == source->file_mtime_ns));
}

enum identity { SAME, REBUILT, ABSENT };

static enum identity open_main(struct symbols *s, const struct symbol_source *source)
{
    if (!elf_file_open(&s->main, source->path))
        return ABSENT;
    if (symbols_is_same(&s->main, source))
        return SAME;
    elf_file_close(&s->main);
    return REBUILT;
}

static void find_debug(struct symbols *s, const struct symbol_source *source)
{
    if (s->main.elf && elf_file_has_section(&s->main, ".debug_info"))
        return;
    if (debug_file_by_build_id(&s->debug, source->build_id, source->build_id_size)) {
        if (elf_file_has_build_id(&s->debug, source->build_id, source->build_id_size))
            return;
        elf_file_close(&s->debug);
    }
    if (s->main.elf)
        debug_file_by_link(&s->debug, &s->main, source->path);
}

struct symbols *symbols_open(const struct symbol_source *source, char *problem, size_t problem_size)
{
    *problem = 0;
    struct symbols *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(problem, problem_size, "%s: out of memory", source->path);
        return NULL;
    }
    s->main.fd = s->debug.fd = -1;
    errno = 0;
    enum identity identity = open_main(s, source);
    int why = errno;
    find_debug(s, source);
    bool ok = true;
    if (s->main.elf)
        ok = add_symbols(s, s->main.elf, SHT_SYMTAB);
    if (ok && s->debug.elf && !s->count)
        ok = add_symbols(s, s->debug.elf, SHT_SYMTAB);
    if (ok && s->main.elf && !s->count)
        ok = add_symbols(s, s->main.elf, SHT_DYNSYM);
    sort_entries(s);
    const char *effect =
        s->count ? "names come from its separate debug file" : "its functions are shown as module+0xoffset";
    if (identity == REBUILT)
        snprintf(problem, problem_size, "%s: was rebuilt since the run: %s (record again)", source->path, effect);
    else if (identity == ABSENT)
        snprintf(problem, problem_size, "%s: cannot be read: %s: %s", source->path,
                 why ? strerror(why) : "not an ELF file", effect);
    else if (!s->count)
        snprintf(problem, problem_size, "%s: has no symbols: %s (do not strip it, or install its debug file)",
                 source->path, effect);
    if (ok && (s->main.elf || s->debug.elf))
        return s;
    symbols_close(s);
    return NULL;
}

void symbols_close(struct symbols *s)
{
    if (!s)
        return;
    inline_index_free(s->inlines);
    if (s->dwarf)
        dwarf_end(s->dwarf);
    elf_file_close(&s->main);
    elf_file_close(&s->debug);
    for (size_t i = 0; i < s->copy_count; i++)
        free(s->copies[i]);
    free(s->copies);
    free(s->entries);
    free(s);
}

const char *symbols_name(const struct symbols *s, uint64_t address)
{
    size_t low;
    SORTED_FIND(low, s->count, s->entries[low].address < address);
    return low < s->count && s->entries[low].address == address ? s->entries[low].name : NULL;
}

const char *symbols_name_around(const struct symbols *s, uint64_t address)
{
    size_t low; /* entries below low begin at or before the address */
    SORTED_FIND(low, s->count, s->entries[low].address <= address);
    const struct entry *e = low ? &s->entries[low - 1] : NULL;
    return e && address - e->address < e->size ? e->name : NULL;
}

static const char *variable_of(Elf *elf, GElf_Word type, uint64_t address, uint64_t *offset)
{
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Sym symbol;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != type || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (size_t i = 0; i < data->d_size / header.sh_entsize; i++)
            if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                symbol.st_shndx != SHN_UNDEF && address - symbol.st_value < symbol.st_size) {
                *offset = address - symbol.st_value;
                return elf_strptr(elf, header.sh_link, symbol.st_name);
            }
    }
    return NULL;
}

const char *symbols_variable(const struct symbols *s, uint64_t address, uint64_t *offset)
{
    const char *name = variable_of(s->main.elf, SHT_SYMTAB, address, offset);
    name = name ? name : variable_of(s->debug.elf, SHT_SYMTAB, address, offset);
    return name ? name : variable_of(s->main.elf, SHT_DYNSYM, address, offset);
}

static Dwarf *debug_information(struct symbols *s)
{
    if (!s->dwarf)
        s->dwarf = dwarf_begin_elf(s->debug.elf ? s->debug.elf : s->main.elf, DWARF_C_READ, NULL);
    return s->dwarf;
}

void symbols_lines(struct symbols *s, struct line_query *queries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        queries[i].line = (struct source_line){0};
    if (debug_information(s))
        dwarf_answer_lines(s->dwarf, queries, count);
}

bool symbols_have_scopes(struct symbols *s)
{
    if (!s->looked_for_inlines && debug_information(s))
        s->inlines = inline_index_new(s->dwarf);
    s->looked_for_inlines = true;
    return s->inlines != NULL;
}

size_t symbols_scopes(struct symbols *s, uint64_t address, struct symbol_scope *scopes, size_t room)
{
    const char *symbol = symbols_name_around(s, address);
    size_t count = symbols_have_scopes(s) ? inline_index_scopes(s->inlines, address, scopes, room) : 0;
    if (!count && symbol && room)
        scopes[count++] = (struct symbol_scope){.name = symbol};
    else if (count && count < room && symbol)
        scopes[count - 1].name = symbol;
    return count;
}

bool symbols_address(const struct symbols *s, uint64_t offset, uint64_t *address)
{
    size_t count = 0;
    if (!s->main.elf || elf_getphdrnum(s->main.elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(s->main.elf, (int)i, &header) && header.p_type == PT_LOAD && offset >= header.p_offset &&
            offset - header.p_offset < header.p_filesz) {
            *address = offset - header.p_offset + header.p_vaddr;
            return true;
        }
    }
    return false;
}

size_t symbols_count(const struct symbols *s)
{
    return s->count;
}

uint64_t symbols_entry(const struct symbols *s, size_t i, const char **linkage_name)
{
    *linkage_name = s->entries[i].name;
    return s->entries[i].address;
}
