/* Which functions are the same: identities over all processes of a run, and their names.
 *
 * A function is (module, ELF address), a region its name; a module is its path and build-id. Call sites are kept in
 * the same way. Names are resolved once, by function_table_resolve. */
#ifndef PCOMP_FUNCTION_TABLE_H
#define PCOMP_FUNCTION_TABLE_H

#include "reporters/symbols/demangle.h"
#include "reporters/tree/build/function_level.h"
#include "reporters/tree/build/text_pool.h"

#include "reporters/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTION_NO_MODULE UINT32_MAX

enum function_kind { FUNCTION_ROOT, FUNCTION_BEYOND, FUNCTION_CODE, FUNCTION_REGION, FUNCTION_SITE, FUNCTION_NATIVE };

struct table_module {
    char *path;
    uint8_t build_id[32];
    uint32_t build_id_size;
    uint64_t file_size;
    int64_t file_mtime_ns;
};

struct table_function {
    uint64_t address; /* ELF address; of the process when module is FUNCTION_NO_MODULE */
    uint32_t module;
    enum function_kind kind;
    enum function_level level; /* lowest of all processes */
    uint64_t suppressed;       /* calls of it that are in no node */
    bool inexact;              /* calls of it may be missing or misattributed */
    /* of files with counters of calls */
    uint64_t counters, counters_inexact; /* all its calls; of these, counted without locks */
    uint64_t counters_timed;             /* calls on call paths of these files */
    uint64_t in_place;                   /* calls that cost what counting costs ... */
    double counting, counting_error;     /* ... and what they cost, its sites with them, and its half-width, ns */
    double estimated, variance;          /* of its calls: known from windows alone, and how well */
    bool fell, off;                      /* its level fell to counted; it is filtered out */
    char *region;                        /* REGION: its name */
    /* filled by function_table_resolve, in the text pool */
    const char *name, *linkage; /* linkage may equal name; a SITE's name is "file:line" or module+0xoffset; a NATIVE's
                                 * that of the function that the address lies in */
    const char *file;           /* NULL unknown */
    unsigned line;              /* 0 unknown */
};

struct function_table {
    struct table_function *functions; /* [0] is "[root]", [1] "[beyond limit]" */
    uint32_t count, room;
    struct table_module *modules;
    uint32_t module_count, module_room;
    uint32_t *table; /* hash: index + 1 */
    size_t table_mask;
};

bool function_table_init(struct function_table *t);
void function_table_free(struct function_table *t);

/* Each returns an index, or UINT32_MAX when out of memory. */
uint32_t function_table_module(struct function_table *t, const struct symbol_source *source);
uint32_t function_table_code(struct function_table *t, uint32_t module, uint64_t address);
uint32_t function_table_region(struct function_table *t, const char *name);
uint32_t function_table_site(struct function_table *t, uint32_t module, uint64_t address);
uint32_t function_table_native(struct function_table *t, uint32_t module, uint64_t address);

struct name_options {
    bool symbols; /* look into the modules; false: all that is known without is module+0xoffset */
    bool want_lines;
    enum name_form names;                          /* of C++ functions */
    void (*warn)(void *context, const char *text); /* called once for each problem with a module */
    void *context;
};

/* Names everything. False: out of memory. */
bool function_table_resolve(struct function_table *t, struct text_pool *texts, const struct name_options *options);

#endif
