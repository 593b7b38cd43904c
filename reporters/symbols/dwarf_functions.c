#include "reporters/symbols/dwarf_functions.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"
#include "reporters/base/text.h"
#include "reporters/symbols/demangle.h"
#include "reporters/symbols/symbol_lines.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 512 /* of scopes; damaged DWARF may nest without end */

enum { FOUND_CODE = 1, FOUND_PART = 2, FOUND_INSTANCE = 4 };

struct dwarf_symbol {
    const char *name; /* in the mapped file */
    uint64_t address;
    bool claimed; /* code that lies there belongs to a function of this very name */
};

struct survey {
    struct dwarf_functions *functions;
    size_t room;
    uint32_t *table; /* hash of the definition's address in memory: index + 1 */
    size_t table_size;
    const char *last; /* the entry visited last in this unit */
    bool failed;      /* out of memory */
};

/* --- Symbols ------------------------------------------------------------------------------------------------------ */

static int symbol_by_address(const void *x, const void *y)
{
    const struct dwarf_symbol *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

static int symbol_by_name(const void *x, const void *y)
{
    const struct dwarf_symbol *a = x, *b = y;
    return strcmp(a->name, b->name);
}

/* The functions of the symbol table (.symtab). False: out of memory. */
static bool read_symbols(struct dwarf_functions *functions, Elf *elf)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        size_t max = data->d_size / header.sh_entsize;
        struct dwarf_symbol *grown = reallocarray(functions->symbols, functions->symbol_count + max + 1, sizeof *grown);
        if (!grown)
            return false;
        functions->symbols = grown;
        for (size_t i = 0; i < max; i++) {
            GElf_Sym symbol;
            const char *name;
            if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF &&
                GELF_ST_TYPE(symbol.st_info) == STT_FUNC && (name = elf_strptr(elf, header.sh_link, symbol.st_name)) &&
                *name)
                grown[functions->symbol_count++] = (struct dwarf_symbol){.name = name, .address = symbol.st_value};
        }
    }
    if (functions->symbol_count)
        qsort(functions->symbols, functions->symbol_count, sizeof *functions->symbols, symbol_by_address);
    return true;
}

/* Index of the first symbol at or behind an address. Needs the order by address. */
static size_t symbol_at(const struct dwarf_functions *functions, uint64_t address)
{
    size_t low;
    SORTED_FIND(low, functions->symbol_count, functions->symbols[low].address < address);
    return low;
}

size_t linkage_without_clone(const char *linkage)
{
    static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm.",
                                           ".cold",       ".ipa",   ".clone", ".localalias"};
    size_t length = strlen(linkage);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const char *at = strstr(linkage, suffixes[i]);
        if (at && at > linkage && (size_t)(at - linkage) < length)
            length = (size_t)(at - linkage);
    }
    return length;
}

/* --- Visiting the functions --------------------------------------------------------------------------------------- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *linkage_of(Dwarf_Die *die)
{
    const char *linkage = text_of(die, DW_AT_linkage_name);
    return linkage ? linkage : text_of(die, DW_AT_MIPS_linkage_name);
}

/* From a concrete or inlined instance to the definition that it is an instance of. */
static Dwarf_Die definition_of(Dwarf_Die die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    for (int i = 0;
         i < 16 && dwarf_attr(&die, DW_AT_abstract_origin, &attribute) && dwarf_formref_die(&attribute, &origin); i++)
        die = origin;
    return die;
}

static bool grow_table(struct survey *survey)
{
    size_t size = survey->table_size ? survey->table_size * 2 : 1024;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < survey->functions->count; i++) {
        size_t at = ((uintptr_t)survey->functions->list[i].die.addr * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)(i + 1);
    }
    free(survey->table);
    survey->table = table;
    survey->table_size = size;
    return true;
}

/* The function with this definition, a new one the first time. NULL: out of memory. */
static struct dwarf_function *function_of(struct survey *survey, const Dwarf_Die *definition)
{
    struct dwarf_functions *functions = survey->functions;
    if (functions->count * 2 >= survey->table_size && !grow_table(survey))
        return NULL;
    size_t mask = survey->table_size - 1;
    size_t at = ((uintptr_t)definition->addr * 0x9e3779b97f4a7c15u >> 20) & mask;
    for (; survey->table[at]; at = (at + 1) & mask)
        if (functions->list[survey->table[at] - 1].die.addr == definition->addr)
            return &functions->list[survey->table[at] - 1];
    if (!ARRAY_ROOM(functions->list, functions->count, survey->room))
        return NULL;
    struct dwarf_function *function = &functions->list[functions->count++];
    *function = (struct dwarf_function){.die = *definition};
    survey->table[at] = (uint32_t)functions->count;
    return function;
}

/* Whether code at `address` is all of a function, or a part that gcc split off; claims the symbol of that name. */
static unsigned kind_of_code(const struct dwarf_functions *functions, uint64_t address, const char *linkage)
{
    unsigned names = 0, parts = 0;
    for (size_t i = symbol_at(functions, address);
         i < functions->symbol_count && functions->symbols[i].address == address; i++) {
        struct dwarf_symbol *symbol = &functions->symbols[i];
        symbol->claimed |= !strcmp(symbol->name, linkage);
        parts += strstr(symbol->name, ".part.") != NULL;
        names++;
    }
    return names && parts == names ? FOUND_PART : FOUND_CODE;
}

/* Address of the code of a function. Linkers leave 0 or -1 for code that they threw away. */
static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
    Dwarf_Addr base, end;
    if (dwarf_entrypc(die, entry) != 0 && dwarf_ranges(die, 0, &base, entry, &end) <= 0)
        return false;
    return *entry != 0 && *entry < UINT64_MAX - 1;
}

static void visit_function(struct survey *survey, Dwarf_Die *die, bool inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr entry;
    Dwarf_Die definition = definition_of(*die);
    bool declared = false;
    if (dwarf_attr(&definition, DW_AT_declaration, &attribute))
        dwarf_formflag(&attribute, &declared);
    if (declared || dwarf_tag(&definition) != DW_TAG_subprogram)
        return;
    const char *name = text_of(&definition, DW_AT_name);
    if (!name)
        return;
    struct dwarf_function *function = function_of(survey, &definition);
    if (!function) {
        survey->failed = true;
        return;
    }
    function->name = name;
    if (!function->linkage) /* that of a constructor is known to its instances alone */
        function->linkage = linkage_of(die);
    if (inlined)
        function->found |= FOUND_INSTANCE;
    else if (entry_of(die, &entry))
        function->found |=
            kind_of_code(survey->functions, entry, function->linkage ? function->linkage : function->name);
}

/* Visits the scopes that may hold functions or inlined calls, in the order of the file. Each entry lies behind the
 * last one; where a damaged file leads back, the unit ends. */
static void visit_scope(struct survey *survey, Dwarf_Die *scope, int depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(scope, &die))
        return;
    do {
        if ((const char *)die.addr <= survey->last)
            return;
        survey->last = die.addr;
        int tag = dwarf_tag(&die);
        switch (tag) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
            visit_function(survey, &die, tag == DW_TAG_inlined_subroutine);
            visit_scope(survey, &die, depth + 1);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            visit_scope(survey, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (!survey->failed && dwarf_siblingof(&die, &die) == 0);
}

/* --- From definitions to functions ------------------------------------------------------------------------------- */

static int compare_names(const struct dwarf_function *a, const struct dwarf_function *b)
{
    int by_key = strcmp(a->key, b->key);
    if (by_key)
        return by_key;
    return strcmp(a->file ? text_basename(a->file) : "", b->file ? text_basename(b->file) : "");
}

/* Where all else is equal, by place in the file: the same order always. */
static int compare_functions(const void *x, const void *y)
{
    const struct dwarf_function *a = x, *b = y;
    int by_name = compare_names(a, b);
    if (by_name)
        return by_name;
    int by_path = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    return by_path ? by_path : (a->die.addr > b->die.addr) - (a->die.addr < b->die.addr);
}

/* True when there is a symbol of that name whose code belongs to no function of that name: two functions with equal
 * code were made one, and DWARF knows the code by the other's name. Needs the order by name. */
static bool has_alias(const struct dwarf_functions *functions, const char *linkage)
{
    size_t low;
    SORTED_FIND(low, functions->symbol_count, strcmp(functions->symbols[low].name, linkage) < 0);
    for (; low < functions->symbol_count && !strcmp(functions->symbols[low].name, linkage); low++)
        if (!functions->symbols[low].claimed)
            return true;
    return false;
}

static enum dwarf_form form_of(const struct dwarf_functions *functions, const struct dwarf_function *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Word inlined = DW_INL_not_inlined;
    Dwarf_Die die = function->die;
    if (function->found & FOUND_CODE || has_alias(functions, function->linkage))
        return FORM_CODE;
    if (function->found & FOUND_PART)
        return FORM_PART;
    if (dwarf_attr(&die, DW_AT_inline, &attribute))
        dwarf_formudata(&attribute, &inlined);
    /* what was inlined may leave no instruction that could be named */
    if (function->found & FOUND_INSTANCE || inlined == DW_INL_inlined || inlined == DW_INL_declared_inlined)
        return FORM_INLINED;
    return functions->symbol_count ? FORM_GONE : FORM_CODE;
}

/* As dwarf_functions_find looks it up. NULL: out of memory. */
static char *key_of(const char *linkage)
{
    char *plain = strndup(linkage, linkage_without_clone(linkage));
    char *readable = plain ? demangle(plain, NAMES_FULL) : NULL;
    if (readable)
        free(plain);
    return readable ? readable : plain;
}

/* Names, order, one entry for what is one function. False: out of memory. */
static bool finish(struct dwarf_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct dwarf_function *function = &functions->list[i];
        int line = 0;
        if (!function->linkage)
            function->linkage = function->name;
        function->file = dwarf_die_file(&function->die);
        function->line = dwarf_decl_line(&function->die, &line) == 0 && line > 0 ? (unsigned)line : 0;
        function->key = key_of(function->linkage);
        if (!function->key)
            return false;
    }
    if (functions->symbol_count)
        qsort(functions->symbols, functions->symbol_count, sizeof *functions->symbols, symbol_by_name);
    if (functions->count)
        qsort(functions->list, functions->count, sizeof *functions->list, compare_functions);
    size_t kept = 0;
    for (size_t i = 0; i < functions->count; i++) {
        struct dwarf_function *function = &functions->list[i], *last = kept ? &functions->list[kept - 1] : NULL;
        function->form = form_of(functions, function);
        if (last && !compare_names(last, function)) {
            last->found |= function->found;
            last->form = function->form < last->form ? function->form : last->form;
            free((char *)function->key);
            continue;
        }
        functions->list[kept++] = *function;
    }
    functions->count = kept;
    for (size_t first = 0, end; first < kept; first = end) {
        for (end = first + 1; end < kept && !strcmp(functions->list[first].key, functions->list[end].key);)
            end++;
        for (size_t i = first; i < end; i++)
            functions->list[i].sources = (unsigned)(end - first);
    }
    return true;
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

/* Opens the file and that which has its debugging information. NULL, or why not. */
static const char *open_files(struct dwarf_functions *functions, const char *path)
{
    GElf_Ehdr header;
    const void *id;
    errno = 0;
    if (!elf_file_open(&functions->main, path))
        return errno ? strerror(errno) : "is not an ELF file (give a program or a shared library)";
    if (!gelf_getehdr(functions->main.elf, &header) || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return "is not linked (give a program or a shared library)";
    if (elf_file_has_section(&functions->main, ".debug_info"))
        return NULL;
    ssize_t size = dwelf_elf_gnu_build_id(functions->main.elf, &id);
    if (size > 0 && debug_file_by_build_id(&functions->debug, id, (size_t)size)) {
        if (elf_file_has_build_id(&functions->debug, id, (size_t)size))
            return NULL;
        elf_file_close(&functions->debug);
    }
    return debug_file_by_link(&functions->debug, &functions->main, path)
               ? NULL
               : "has no debugging information (compile it with -g)";
}

static const char *read_functions(struct dwarf_functions *functions, const char *path)
{
    struct survey survey = {.functions = functions};
    const char *problem = open_files(functions, path);
    if (problem)
        return problem;
    Elf *elf = functions->debug.elf ? functions->debug.elf : functions->main.elf;
    if (!read_symbols(functions, functions->main.elf) ||
        (!functions->symbol_count && functions->debug.elf && !read_symbols(functions, functions->debug.elf)))
        return "out of memory";
    functions->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!functions->dwarf)
        return "has debugging information that cannot be read (compile it again)";
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    int more = 0;
    while (!survey.failed && (more = dwarf_get_units(functions->dwarf, unit, &unit, NULL, &type, &die, &split)) == 0) {
        if (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_skeleton)
            continue;
        bool elsewhere = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
        survey.last = NULL;
        visit_scope(&survey, elsewhere ? &split : &die, 0);
    }
    free(survey.table);
    if (survey.failed || !finish(functions))
        return "out of memory";
    if (more < 0)
        return "has debugging information that cannot be read (compile it again)";
    return functions->count ? NULL : "has debugging information without functions (compile it with -g)";
}

bool dwarf_functions_read(struct dwarf_functions *functions, const char *path, char *error, size_t error_size)
{
    *functions = (struct dwarf_functions){.main.fd = -1, .debug.fd = -1};
    const char *problem = read_functions(functions, path);
    if (!problem)
        return true;
    snprintf(error, error_size, "%s: %s", path, problem);
    dwarf_functions_free(functions);
    return false;
}

void dwarf_functions_free(struct dwarf_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free((char *)functions->list[i].key);
    free(functions->list);
    free(functions->symbols);
    dwarf_end(functions->dwarf);
    elf_file_close(&functions->main);
    elf_file_close(&functions->debug);
    *functions = (struct dwarf_functions){.main.fd = -1, .debug.fd = -1};
}

static const struct dwarf_function *find_key(const struct dwarf_functions *functions, const char *key, const char *file)
{
    size_t low;
    SORTED_FIND(low, functions->count, strcmp(functions->list[low].key, key) < 0);
    const struct dwarf_function *best = NULL;
    for (; low < functions->count && !strcmp(functions->list[low].key, key); low++) {
        const struct dwarf_function *function = &functions->list[low];
        bool same = !file || !function->file || !strcmp(text_basename(file), text_basename(function->file));
        if (same && (!best || function->form < best->form))
            best = function;
    }
    return best;
}

/* "push" of "ns::list<int>::push<char>"; NULL: none, or out of memory. */
static char *last_name(const char *linkage)
{
    char *scoped = demangle(linkage, NAMES_SCOPE), *name = NULL;
    if (scoped) {
        size_t length = strcspn(scoped, "<");
        scoped[length] = 0;
        char *colon = strrchr(scoped, ':');
        name = strdup(colon ? colon + 1 : scoped);
    }
    free(scoped);
    return name;
}

const struct dwarf_function *dwarf_functions_find(const struct dwarf_functions *functions, const char *linkage,
                                                  const char *file)
{
    char *plain = strndup(linkage, linkage_without_clone(linkage));
    if (!plain)
        return NULL;
    char *readable = demangle(plain, NAMES_FULL);
    const struct dwarf_function *found = find_key(functions, readable ? readable : plain, file);
    char *name = !found && readable ? last_name(plain) : NULL;
    if (name) /* gcc notes no linkage name where the linkage is internal */
        found = find_key(functions, name, file);
    free(name);
    free(readable);
    free(plain);
    return found;
}
