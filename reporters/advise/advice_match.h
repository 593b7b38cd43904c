/* Which functions an item of gcc's lists takes: those of a profile and those of the ordinary build's DWARF. */
#ifndef PCOMP_ADVICE_MATCH_H
#define PCOMP_ADVICE_MATCH_H

#include "reporters/symbols/dwarf_functions.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_NOT_IN_PROFILE UINT32_MAX

struct advice_item { /* of gcc's lists */
    char *text;      /* a substring of names or of paths; "" when there is none */
    bool is_file;
};

struct match_name {
    char *visible;     /* as gcc compares it (gcc_exclusion.h) */
    const char *shown; /* for people */
    const char *file;  /* NULL unknown */
    uint32_t function; /* of the tree, or MATCH_NOT_IN_PROFILE */
};

struct match_names {
    struct match_name *list;
    size_t count;
};

/* All functions that could be instrumented, each once. dwarf may be NULL. False: out of memory. */
bool match_names_read(struct match_names *names, const struct call_tree *tree, const struct dwarf_functions *dwarf);
void match_names_free(struct match_names *names);

bool match_takes(const struct advice_item *item, const struct match_name *name);

#endif
