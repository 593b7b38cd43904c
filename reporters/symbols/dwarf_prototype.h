/* C declarations of functions, from DWARF: for what must be said of a function before its definition.
 *
 * Types are written without the program's headers: typedefs are followed, struct and union types appear by their tag.
 * So what has no tag, or an array in it, cannot be expressed. Not thread-safe on one Dwarf. */
#ifndef PCOMP_DWARF_PROTOTYPE_H
#define PCOMP_DWARF_PROTOTYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct prototype_tags { /* "struct shop": to be declared before the functions, each once */
    char **texts;
    size_t count;
};

/* "static int push(struct list *, unsigned long)", to be freed, and the tags that it needs added to `tags`. NULL, with
 * a reason in *why: not C, or a type that cannot be expressed. */
char *dwarf_prototype(Dwarf_Die *function, struct prototype_tags *tags, const char **why);
void prototype_tags_free(struct prototype_tags *tags);

#endif
