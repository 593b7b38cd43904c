#include "reporters/symbols/build_switches.h"

#include "reporters/symbols/debug_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#define HOOKS      "-finstrument-functions"
#define FILES      "-finstrument-functions-exclude-file-list"
#define FORM_UNITS 16 /* compile units that are looked at for the level of optimisation */
#define FUNCTIONS  "-finstrument-functions-exclude-function-list"

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

/* The debugging information of a module, its own or that of its separate file. */
struct units {
    struct elf_file main, debug;
    Dwarf *dwarf; /* NULL: there is none */
};

/* False: no ELF file. */
static bool units_open(struct units *units, const char *path)
{
    *units = (struct units){.debug = {.fd = -1}};
    if (!elf_file_open(&units->main, path))
        return false;
    if (!elf_file_has_section(&units->main, ".debug_info"))
        open_debug_file(&units->debug, &units->main, path);
    units->dwarf = dwarf_begin_elf(units->debug.elf ? units->debug.elf : units->main.elf, DWARF_C_READ, NULL);
    return true;
}

static void units_close(struct units *units)
{
    if (units->dwarf)
        dwarf_end(units->dwarf);
    elf_file_close(&units->debug);
    elf_file_close(&units->main);
}

bool build_switches_read(struct build_switches *switches, const char *path)
{
    struct units units;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    *switches = (struct build_switches){0};
    if (!units_open(&units, path))
        return false;
    while (units.dwarf && dwarf_get_units(units.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        read_unit(switches, &die);
    bool known = units.dwarf != NULL;
    units_close(&units);
    return known;
}

/* "GNU C17 12.2.0 -mtune=generic -g -O2": gcc, whose switches are there. Assemblers and other compilers tell nothing.
 */
static enum build_form form_of_unit(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    if (!producer || strncmp(producer, "GNU C", 5) != 0 || !strstr(producer, " -m"))
        return BUILD_UNKNOWN;
    const char *level = NULL;
    for (const char *at = producer; (at = strstr(at, " -O")); at++)
        level = at + 3;
    return !level || *level == '0' ? BUILD_UNOPTIMISED : BUILD_OPTIMISED;
}

enum build_form build_form_read(const char *path)
{
    struct units units;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    enum build_form form = BUILD_UNKNOWN;
    if (!units_open(&units, path))
        return BUILD_UNKNOWN;
    for (int i = 0; units.dwarf && i < FORM_UNITS && form != BUILD_OPTIMISED &&
                    dwarf_get_units(units.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0;
         i++) {
        enum build_form of_unit = form_of_unit(&die);
        form = of_unit == BUILD_UNKNOWN ? form : of_unit;
    }
    if (!units.dwarf)
        form = BUILD_NO_LINES;
    units_close(&units);
    return form;
}

void build_switches_free(struct build_switches *switches)
{
    for (size_t i = 0; i < switches->count; i++)
        free(switches->list[i].texts);
    free(switches->list);
    *switches = (struct build_switches){0};
}
