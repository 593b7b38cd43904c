/* Which options make a compiler leave sites in the code: sleds where it can, else hook calls. */
#ifndef PCOMP_SITE_OPTIONS_H
#define PCOMP_SITE_OPTIONS_H

#include "reporters/flags/compiler_probe.h"

#include <stdbool.h>
#include <stddef.h>

enum site_form {
    SITES_NONE,
    SITES_HOOKS,       /* calls of __cyg_profile_func_enter and _exit */
    SITES_CLANG_SLEDS, /* by the compiler itself */
    SITES_GCC_SLEDS    /* by pcomp's plugin, which the link with -flto needs, too */
};

#define SITE_OPTIONS_MAX 4

struct site_options {
    enum site_form form;
    char *texts[SITE_OPTIONS_MAX + 1]; /* malloc'ed; NULL ends them */
    size_t count;
    char why_no_sleds[COMPILER_WHY + 128]; /* "" where there are sleds, or none were asked for */
    char why_no_hooks[COMPILER_WHY];       /* of SITES_NONE */
    int machine, elf_class;                /* of the object files */
};

/* Tries what there is, best first. hooks_only: no sleds. False: out of memory. */
bool site_options_choose(struct site_options *options, const struct compiler *compiler, bool hooks_only);
void site_options_free(struct site_options *options);

#endif
