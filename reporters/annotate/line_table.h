/* The lines of an annotation while samples are counted: each line once, whatever file or module it was found in. */
#ifndef PCOMP_LINE_TABLE_H
#define PCOMP_LINE_TABLE_H

#include "reporters/annotate/annotation_types.h"
#include "reporters/annotate/sample_places.h"

struct line_table;

struct line_table *line_table_new(void);
void line_table_free(struct line_table *table);

/* Adds the places' lines to the annotation, and writes their indices into the places. False: out of memory. */
bool line_table_add(struct line_table *table, struct annotation *annotation, struct sample_places *places);

/* Sorts the lines, the indices being void then, and gives each function its own. */
void line_table_sort(struct annotation *annotation);

#endif
