#include "reporters/flags/site_options.h"

#include "reporters/base/library_path.h"
#include "reporters/flags/system_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool options_add(struct site_options *options, const char *text)
{
    char *copy = strdup(text);
    if (copy)
        options->texts[options->count++] = copy;
    return copy != NULL;
}

static void options_clear(struct site_options *options)
{
    for (size_t i = 0; i < options->count; i++)
        free(options->texts[i]);
    memset(options->texts, 0, sizeof options->texts);
    options->count = 0;
}

/* Compiles with the options so far; an exit status of 0 proves nothing, since some compilers ignore what they do not
 * know, so the object is looked at. Without success the options are cleared. */
static bool options_work(struct site_options *options, const struct compiler *compiler, enum site_form form, char *why)
{
    struct module_sites sites;
    bool good = compiler_try(compiler, (const char *const *)options->texts, &sites, why);
    if (good && !(form == SITES_HOOKS ? sites.hooks : sites.map || sites.note)) {
        snprintf(why, COMPILER_WHY, "it accepts %s and leaves no %s", options->texts[0],
                 form == SITES_HOOKS ? "hook calls" : "sleds");
        good = false;
    }
    if (good) {
        options->form = form;
        options->machine = sites.machine;
        options->elf_class = sites.elf_class;
    } else
        options_clear(options);
    return good;
}

/* --- Sleds -------------------------------------------------------------------------------------------------------- */

static bool try_clang_sleds(struct site_options *options, const struct compiler *compiler)
{
    /* older and newer spelling of one option */
    static const char *const without_runtime[] = {"-fnoxray-link-deps", "-fno-xray-link-deps"};
    char why[COMPILER_WHY];
    for (int i = 0; i < 2; i++) {
        if (!options_add(options, "-fxray-instrument") || !options_add(options, "-fxray-instruction-threshold=1") ||
            !options_add(options, without_runtime[i]))
            return false;
        if (options_work(options, compiler, SITES_CLANG_SLEDS, why)) {
            *options->why_no_sleds = 0;
            return true;
        }
        if (i == 0)
            snprintf(options->why_no_sleds, sizeof options->why_no_sleds, "%s", why);
    }
    return true;
}

static bool try_gcc_sleds(struct site_options *options, const struct compiler *compiler)
{
    char why[COMPILER_WHY], *plugin = plugin_path_find(compiler->major), *option = NULL;
    if (!plugin) {
        snprintf(options->why_no_sleds, sizeof options->why_no_sleds,
                 "pcomp/gcc-%u/pcomp_sleds.so, the plugin for it, is not beside libpcomp.so", compiler->major);
        return true;
    }
    bool good = asprintf(&option, "-fplugin=%s", plugin) >= 0 && options_add(options, option);
    if (good && !options_work(options, compiler, SITES_GCC_SLEDS, why))
        snprintf(options->why_no_sleds, sizeof options->why_no_sleds, "%s does not work in it: %s", plugin, why);
    if (good)
        free(option);
    free(plugin);
    return good;
}

static bool try_sleds(struct site_options *options, const struct compiler *compiler)
{
    if (!compiler->clang && !compiler->gnu)
        snprintf(options->why_no_sleds, sizeof options->why_no_sleds, "it is neither gcc nor clang");
    else if (!compiler->x86_64)
        snprintf(options->why_no_sleds, sizeof options->why_no_sleds, "sleds are for x86-64 only");
    else
        return compiler->clang ? try_clang_sleds(options, compiler) : try_gcc_sleds(options, compiler);
    return true;
}

/* --- Hook calls --------------------------------------------------------------------------------------------------- */

static bool try_hooks(struct site_options *options, const struct compiler *compiler)
{
    char *exclusion = NULL;
    if (compiler->clang) {
        if (!options_add(options, "-finstrument-functions-after-inlining"))
            return false;
        if (options_work(options, compiler, SITES_HOOKS, options->why_no_hooks))
            return true; /* else it is an old one */
    }
    if (compiler->gnu && compiler->cplusplus && (exclusion = system_headers_exclusion(compiler))) {
        bool good = options_add(options, "-finstrument-functions") && options_add(options, exclusion);
        free(exclusion);
        if (!good)
            return false;
        if (options_work(options, compiler, SITES_HOOKS, options->why_no_hooks))
            return true;
    }
    if (!options_add(options, "-finstrument-functions"))
        return false;
    options_work(options, compiler, SITES_HOOKS, options->why_no_hooks);
    return true;
}

bool site_options_choose(struct site_options *options, const struct compiler *compiler, bool hooks_only)
{
    *options = (struct site_options){.form = SITES_NONE};
    if (!hooks_only && !try_sleds(options, compiler))
        return false;
    return options->form != SITES_NONE || try_hooks(options, compiler);
}

void site_options_free(struct site_options *options)
{
    options_clear(options);
}
