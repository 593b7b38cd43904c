/* The columns of the flat profile, the call-path tree and the callers: one table for all of them and for all formats.
 */
#ifndef PCOMP_REPORT_COLUMNS_H
#define PCOMP_REPORT_COLUMNS_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>

enum report_table { REPORT_FLAT = 1, REPORT_TREE = 2, REPORT_CALLERS = 4 };

/* What a row is of. A view fills what its columns read (see the table in report_columns.c). */
struct report_row {
    const struct tree_function *function;
    const struct tree_node *node; /* of the tree alone, with its index and depth */
    uint32_t index;
    size_t depth;
    const struct tree_function *of; /* of callers alone: whose caller or callee the row is, and how often */
    const char *relation;           /* "self", "caller", "callee" */
    uint64_t calls;
    const struct tree_times *inclusive, *exclusive;
    double share;
    bool exceeded;
    const char *marks;
    const char *label, *remark; /* text: the last column, and what stands behind it */
};

/* The columns of one table. */
struct report_columns {
    const struct call_tree *tree;
    struct emit_column *list;
    const struct report_column **cells; /* of each of the list; NULL: of a counter */
    size_t count;
    char *keys; /* memory of counter keys */
};

/* The columns that the view has in the format of the emitter, with the times (enum report_times) asked for; a counter
 * has six: raw, compensated, uncertainty, each inclusive and exclusive. False: out of memory. */
bool report_columns_make(struct report_columns *columns, enum report_table view, const struct call_tree *tree,
                         int times, const struct emitter *emitter);
void report_columns_free(struct report_columns *columns);

void report_columns_row(const struct report_columns *columns, struct emitter *emitter, const struct report_row *row);

/* Whether the row is of a call path, or of an edge of callers, whose calls are those until the level of what is called
 * fell: the paths of calls counted in place are not known. */
bool report_has_more_calls(const struct report_row *row);

#endif
