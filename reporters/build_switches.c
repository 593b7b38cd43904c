#include "reporters/build_switches.h"

#include "reporters/debug_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#define HOOKS     "-finstrument-functions"
#define FILES     "-finstrument-functions-exclude-file-list"
#define FUNCTIONS "-finstrument-functions-exclude-function-list"

const char *left_out_switch(const struct left_out *left_out)
{
    return left_out->files ? FILES : FUNCTIONS;
}

/* Behind "NAME" where a word of the producer begins with it; NULL none. */
static const char *find_switch(const char *producer, const char *name)
{
    for (const char *at = producer; (at = strstr(at, name)); at++)
        if (at > producer && at[-1] == ' ' && strchr(" =", at[strlen(name)]))
            return at + strlen(name);
    return NULL;
}

static void add_left_out(struct build_switches *switches, bool files, const char *texts, size_t length)
{
    for (size_t i = 0; i < switches->count; i++) {
        struct left_out *known = &switches->list[i];
        if (known->files == files && strlen(known->texts) == length && !memcmp(known->texts, texts, length)) {
            known->units++;
            return;
        }
    }
    struct left_out *grown = reallocarray(switches->list, switches->count + 1, sizeof *grown);
    char *copy = strndup(texts, length);
    if (grown)
        switches->list = grown;
    if (grown && copy)
        switches->list[switches->count++] = (struct left_out){.files = files, .texts = copy, .units = 1};
    else
        free(copy);
}

static void read_unit(struct build_switches *switches, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    if (!producer || !find_switch(producer, HOOKS))
        return;
    switches->units++;
    for (int files = 1; files >= 0; files--) {
        const char *value = find_switch(producer, files ? FILES : FUNCTIONS);
        if (value && *value == '=')
            add_left_out(switches, files, value + 1, strcspn(value + 1, " "));
    }
}

static void open_debug_file(struct elf_file *debug, const struct elf_file *main, const char *path)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(main->elf, &id);
    if (size > 0 && debug_file_by_build_id(debug, id, (size_t)size)) {
        if (elf_file_has_build_id(debug, id, (size_t)size))
            return;
        elf_file_close(debug);
    }
    debug_file_by_link(debug, main, path);
}

bool build_switches_read(struct build_switches *switches, const char *path)
{
    struct elf_file main, debug = {.fd = -1};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    *switches = (struct build_switches){0};
    if (!elf_file_open(&main, path))
        return false;
    if (!elf_file_has_section(&main, ".debug_info"))
        open_debug_file(&debug, &main, path);
    Dwarf *dwarf = dwarf_begin_elf(debug.elf ? debug.elf : main.elf, DWARF_C_READ, NULL);
    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        read_unit(switches, &die);
    if (dwarf)
        dwarf_end(dwarf);
    elf_file_close(&debug);
    elf_file_close(&main);
    return dwarf != NULL;
}

void build_switches_free(struct build_switches *switches)
{
    for (size_t i = 0; i < switches->count; i++)
        free(switches->list[i].texts);
    free(switches->list);
    *switches = (struct build_switches){0};
}
