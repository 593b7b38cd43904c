/* What the views of `pcomp report`, compare and export share: options, the head, cells of times, marks, orders. */
#ifndef PCOMP_REPORT_COMMON_H
#define PCOMP_REPORT_COMMON_H

#include "profiler/format/names.h"
#include "reporters/base/emitter.h"
#include "reporters/base/options.h"
#include "reporters/tree/call_tree.h"

enum report_times { REPORT_COMPENSATED, REPORT_RAW, REPORT_BOTH };
#define REPORT_TIMES "compensated|raw|both"

enum report_sort {
    REPORT_BY_EXCLUSIVE,
    REPORT_BY_INCLUSIVE,
    REPORT_BY_CALLS,
    REPORT_BY_RAW,
    REPORT_BY_RAW_EXCLUSIVE,
    REPORT_BY_OVERHEAD,
    REPORT_BY_NAME,
    REPORT_BY_COMPUTING,
    REPORT_BY_WAITING,
    REPORT_BY_READY,
    REPORT_BY_DEFAULT /* not asked for: computing where it is known, else exclusive */
};
#define REPORT_SORTS "exclusive|inclusive|calls|raw|raw-exclusive|overhead|name|computing|waiting|ready"

struct report_options {
    const char *dir;
    int times, sort, format;
    uint64_t limit;     /* 0: all */
    double min_percent; /* of the total */
    bool limit_given, min_percent_given, expand, verbose, quiet;
};

/* The options that choose what of a data directory is loaded, as every command that reads one has them. */
struct load_options {
    uint64_t process, rank, thread;
    int model;
    int names; /* enum name_form */
    bool salvage;
    bool want_costs, of_set;
    bool by_thread;   /* call paths of different threads stay apart */
    bool as_recorded; /* of a trace: what its profile files say themselves, not what the events add up to */
};
#define LOAD_NO_RANK UINT64_MAX
#define LOAD_OPTIONS                                                                                                   \
    {                                                                                                                  \
        .rank = LOAD_NO_RANK, .model = -1                                                                              \
    }
#define SALVAGE_SPEC(value)                                                                                            \
    {                                                                                                                  \
        "--salvage", 0, OPTION_FLAG, NULL, "use what can be read of damaged files", value, NULL                        \
    }
#define NAMES_SPEC(value)                                                                                              \
    {                                                                                                                  \
        "--names", 0, OPTION_CHOICE, "FORM", "C++ names: short (default), full (with parameters), scope", value,       \
            NAME_FORMS                                                                                                 \
    }
#define LIMIT_SPEC(value)                                                                                              \
    {                                                                                                                  \
        "--limit", 0, OPTION_COUNT, "N", "at most N functions; 0: all", value, NULL                                    \
    }
#define LOAD_OPTION_SPECS(load)                                                                                        \
    {"--process", 0, OPTION_COUNT, "N", "only the process with this id", &(load).process, NULL},                       \
        {"--rank", 0, OPTION_COUNT, "N", "only the process with this MPI rank", &(load).rank, NULL},                   \
        {"--thread", 0, OPTION_COUNT, "N", "only the thread with this id", &(load).thread, NULL},                      \
        {"--model",          0, OPTION_CHOICE, "NAME", "compensate again: " PCOMP_MODEL_CHOICES, &(load).model,        \
         PCOMP_MODEL_CHOICES},                                                                                         \
        SALVAGE_SPEC(&(load).salvage), NAMES_SPEC(&(load).names)

#define DEFAULT_DATA_DIR "pcomp.data"

/* The first operand, or the default. */
static inline const char *operand_directory(const struct operands *operands)
{
    return operands->count ? operands->texts[0] : DEFAULT_DATA_DIR;
}

/* Loads dir, with signs of life on a terminal. NULL after the message; *status is then the exit status. */
struct call_tree *report_load(const char *command, const char *dir, const struct load_options *load, bool want_lines,
                              int *status);

/* Loads dir, calls use with the tree and frees the tree. An exit status. */
int report_with_tree(const char *command, const char *dir, const struct load_options *load,
                     int (*use)(struct call_tree *tree, void *context), void *context);

/* The same without a word on the terminal. NULL after writing one line to error; none where the message is written
 * already: a trace could not be read. */
struct call_tree *report_read(const char *dir, const struct call_tree_options *options, char *error, size_t size);

/* The warnings of the tree as notes. */
void report_notes(struct emitter *emitter, const struct call_tree *tree);

/* The threads; in text only where there is more to say than one thread. */
void report_threads(struct emitter *emitter, const struct call_tree *tree);

/* A table of threads with the cells of the caller: in text none of one thread, and at most 20 rows. */
struct threads_table {
    const struct emit_column *columns;
    size_t column_count;
    void (*cells)(struct emitter *emitter, const void *context, const struct tree_thread *thread);
    const void *context;
};
void report_threads_table(struct emitter *emitter, const struct call_tree *tree, const struct threads_table *table);

/* A compensated time; in text "<X" where it is not above its uncertainty X. */
void report_emit_compensated(struct emitter *emitter, const struct tree_times *times);

/* Whether calls of some functions are estimates (from windows); and the half-width of their 95 % interval. */
bool report_is_estimated(const struct call_tree *tree);
uint64_t report_calls_uncertainty(const struct tree_function *function);

/* Marks of a row of a function, into marks (8 bytes): '!' its callees exceed it, '~' some calls were suppressed or its
 * level fell to counted, '?' not exact otherwise, '*' still open. Gathers them in seen. */
enum {
    MARK_EXCEEDED = 1,
    MARK_INEXACT = 2,
    MARK_OPEN = 4,
    MARK_BELOW = 8,
    MARK_SUPPRESSED = 16,
    MARK_COUNTED = 32,
    MARK_COST = 64,
    MARK_BEFORE = 128,
    MARK_MORE = 256 /* report_has_more_calls */
};
void report_marks(char *marks, bool exceeded, const struct tree_function *function, bool open, unsigned *seen);
bool report_is_below(const struct tree_times *times);
void report_legend(struct emitter *emitter, unsigned seen);

/* The cells file and line. */
void report_emit_source(struct emitter *emitter, const struct tree_function *function);

/* The part of a compensated time that was spent on a processor; all of it where nothing else is known. */
double report_computing(const struct tree_times *times);

/* What shares are of: computing of all threads, or compensated time. */
double report_whole(const struct call_tree *tree);

/* Whether a part of the time of all threads is known and more than 1 % of it. */
bool report_matters(const struct call_tree *tree, double part);

/* Whether waiting, or being ready, is more than 1 % of the time of all threads. */
bool report_shows_waiting(const struct call_tree *tree);
bool report_shows_ready(const struct call_tree *tree);

/* Share of raw that was measurement, NAN where raw is none. */
double report_overhead(const struct tree_times *times);
double report_ratio(double part, double whole);

/* Whether function i is shown: not the root, nor one that is off or has neither calls nor time. */
bool report_is_listed(const struct call_tree *tree, size_t i);

/* Functions of the tree that are listed, in the order asked for; those without that time last, by calls; ties by name.
 * malloc'ed, *count of them; NULL: out of memory. */
uint32_t *report_order(const struct call_tree *tree, int sort, size_t *count);

/* "shop.c:12" or "libx.so", into buffer; NULL where nothing is known. */
const char *report_location(const struct tree_function *function, char *buffer, size_t size);

/* True for a function that stands for the threads' roots. */
bool report_is_root(const struct call_tree *tree, uint32_t function);

/* The views of a loaded tree: each has a function report_NAME and is a choice of `pcomp report --view`. Cost is of a
 * tree that was loaded with its costs; spread: how the times of activations are distributed, and the longest. */
#define REPORT_VIEWS(VIEW) VIEW(flat) VIEW(tree) VIEW(callers) VIEW(cost) VIEW(spread)

/* Each writes the tables of its view and returns an exit status. It may put siblings of the tree in another order. */
#define REPORT_VIEW_FUNCTION(name)                                                                                     \
    int report_##name(struct emitter *emitter, struct call_tree *tree, const struct report_options *options);
REPORT_VIEWS(REPORT_VIEW_FUNCTION)

/* The waiting of options->dir, which must be a replayed execution. Writes the whole document, returns an exit status.
 */
int report_waiting(const struct report_options *options);

#endif
