#include "reporters/info/info_modules.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/filter/module_sites.h"
#include "reporters/profile/profile_file.h"
#include "reporters/symbols/build_switches.h"
#include "reporters/symbols/debug_file.h"
#include "reporters/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct module_list {
    struct build_module {
        char *path;
        struct module_sites sites;
        struct build_switches switches;
    } * list;
    size_t count;
};

/* The file is the one that ran: by its build-id, or size and time where it has none. */
static bool is_unchanged(const struct pcomp_module *module, const char *path)
{
    struct elf_file file;
    struct symbol_source source = symbol_source(module, path);
    if (!elf_file_open(&file, path))
        return false;
    bool same = symbols_is_same(&file, &source);
    elf_file_close(&file);
    return same;
}

static void modules_add(struct module_list *modules, const struct pcomp_module *module, const char *path)
{
    for (size_t i = 0; i < modules->count; i++)
        if (!strcmp(modules->list[i].path, path))
            return;
    struct build_module added = {.path = NULL};
    if (!is_unchanged(module, path) || !module_sites_read(&added.sites, path))
        return;
    struct build_module *grown = reallocarray(modules->list, modules->count + 1, sizeof *grown);
    if (!grown)
        return;
    modules->list = grown;
    if (!(added.path = strdup(path)))
        return;
    build_switches_read(&added.switches, path);
    modules->list[modules->count++] = added;
}

/* The modules of the functions of one process. */
static void modules_read(struct module_list *modules, const struct data_file *file)
{
    char error[512];
    if (file->status == DATA_GONE || file->status == DATA_STARTING)
        return;
    struct profile_file *profile = profile_file_open(
        file->path, file->status == DATA_LIVE ? PROFILE_LIVE : PROFILE_ENDED, true, error, sizeof error);
    for (uint32_t i = 0; profile && i < profile->function_count; i++) {
        const struct pcomp_function *function = profile->functions[i];
        if (!function || function->module >= profile->module_count || !profile->modules[function->module])
            continue;
        const struct pcomp_module *module = profile->modules[function->module];
        const char *path = profile_text(profile, module->path_link);
        bool again = i && profile->functions[i - 1] && profile->functions[i - 1]->module == function->module;
        if (path && !again)
            modules_add(modules, module, path);
    }
    if (profile)
        profile_file_close(profile);
}

static const char *sites_name(const struct module_sites *sites)
{
    if (module_sites_lost(sites))
        return sites->hooks ? "hook calls, and sleds without map" : "sleds without map";
    return sites->map ? sites->hooks ? "hook calls and sleds" : "sleds" : sites->hooks ? "hook calls" : NULL;
}

static void sites_text(struct emitter *emitter, const struct build_module *module)
{
    const struct module_sites *sites = &module->sites;
    char count[TEXT_NUMBER];
    if (module_sites_lost(sites))
        emitter_text(emitter, "%s: built with sleds, their map is missing (link without gold's --gc-sections)%s",
                     module->path, sites->hooks ? "; hook calls" : "");
    else if (sites->map)
        emitter_text(emitter, "%s: %ssleds (%s entries)", module->path, sites->hooks ? "hook calls and " : "",
                     text_count(count, sites->sleds));
    else if (sites->hooks)
        emitter_text(emitter, "%s: hook calls", module->path);
}

/* "A, B or C" of "A,B,C", malloc'ed. */
static char *texts_listed(const char *texts)
{
    char *listed = NULL;
    size_t size;
    FILE *out = open_memstream(&listed, &size);
    for (const char *at = texts; out && *at;) {
        size_t length = strcspn(at, ",");
        const char *next = at[length] ? at + length + 1 : at + length;
        fprintf(out, "%s%.*s", at == texts ? "" : *next ? ", " : " or ", (int)length, at);
        at = next;
    }
    if (out)
        fclose(out);
    return listed;
}

static void left_out_text(struct emitter *emitter, const struct build_switches *switches, const struct left_out *out)
{
    char *listed = texts_listed(out->texts), share[96] = "";
    if (out->units < switches->units)
        snprintf(share, sizeof share, ", in %zu of %zu source files", out->units, switches->units);
    if (listed)
        emitter_text(emitter, "left out by the build: functions %s %s (%s%s)",
                     out->files ? "of files whose name contains" : "whose name contains", listed, left_out_switch(out),
                     share);
    free(listed);
}

static void modules_json(struct emitter *emitter, const struct module_list *modules)
{
    static const struct emit_column columns[] = {
        {"path", NULL, NULL, EMIT_NAME, 0}, {"sites", NULL, NULL, EMIT_NAME, 0}, {"sleds", NULL, NULL, EMIT_COUNT, 0}};
    static const struct emit_column left_out[] = {{"module", NULL, NULL, EMIT_NAME, 0},
                                                  {"switch", NULL, NULL, EMIT_NAME, 0},
                                                  {"texts", NULL, NULL, EMIT_NAME, 0},
                                                  {"units", NULL, NULL, EMIT_COUNT, 0},
                                                  {"units_all", NULL, NULL, EMIT_COUNT, 0}};
    emitter_table(emitter, "modules", columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < modules->count; i++) {
        emitter_row(emitter);
        emit_name(emitter, modules->list[i].path);
        emit_name(emitter, sites_name(&modules->list[i].sites));
        emit_count(emitter, modules->list[i].sites.sleds);
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
    emitter_table(emitter, "left_out", left_out, sizeof left_out / sizeof *left_out, false);
    for (size_t i = 0; i < modules->count; i++)
        for (size_t k = 0; k < modules->list[i].switches.count; k++) {
            const struct left_out *out = &modules->list[i].switches.list[k];
            emitter_row(emitter);
            emit_name(emitter, modules->list[i].path);
            emit_name(emitter, left_out_switch(out));
            emit_name(emitter, out->texts);
            emit_count(emitter, out->units);
            emit_count(emitter, modules->list[i].switches.units);
            emitter_row_end(emitter);
        }
    emitter_table_end(emitter);
}

/* What could not be switched in the process whose file this is. */
static void refusals(struct emitter *emitter, const struct data_file *file)
{
    struct pcomp_header h;
    char error[512], why[sizeof h.sites_why + 1] = "";
    if (file->status == DATA_GONE || file->status == DATA_STARTING ||
        !profile_file_read_header(file->path, &h, error, sizeof error))
        return;
    memcpy(why, h.sites_why, sizeof h.sites_why);
    if (h.sites_refused)
        emitter_note(emitter, "process %d: the sites of %u module%s cannot be switched (%s): %s", h.pid,
                     h.sites_refused, h.sites_refused == 1 ? "" : "s", why,
                     "calls of the hooks there are measured by the hooks, functions with sleds are not seen");
    else if (h.sleds_bad)
        emitter_note(emitter, "process %d: %u sleds are not what their map says, and were left alone (%s)", h.pid,
                     h.sleds_bad, why);
}

void info_modules(struct emitter *emitter, const struct data_directory *data)
{
    struct module_list modules = {.count = 0};
    for (size_t i = 0; i < data->file_count; i++)
        modules_read(&modules, &data->files[i]);
    for (size_t i = 0; i < modules.count; i++) {
        sites_text(emitter, &modules.list[i]);
        for (size_t k = 0; k < modules.list[i].switches.count; k++)
            left_out_text(emitter, &modules.list[i].switches, &modules.list[i].switches.list[k]);
    }
    for (size_t i = 0; i < data->file_count; i++)
        refusals(emitter, &data->files[i]);
    if (emitter_is(emitter, EMIT_JSON))
        modules_json(emitter, &modules);
    for (size_t i = 0; i < modules.count; i++) {
        free(modules.list[i].path);
        build_switches_free(&modules.list[i].switches);
    }
    free(modules.list);
}
