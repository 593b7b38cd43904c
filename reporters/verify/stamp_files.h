/* What libpcomp-stamp.so left in a directory: one stamp for every process whose main was entered and left. */
#ifndef PCOMP_STAMP_FILES_H
#define PCOMP_STAMP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stamp {
    int pid;
    uint64_t entered, left; /* ns, CLOCK_MONOTONIC */
    char *program;          /* path of its executable file */
};

struct stamp_list {
    struct stamp *stamps; /* the first one entered comes first */
    size_t count;
};

/* Reads and removes the stamps in `directory`; what is no stamp is passed over. False: out of memory. */
bool stamp_list_take(struct stamp_list *list, const char *directory);
void stamp_list_free(struct stamp_list *list);

/* The first one of that program, NULL when there is none. */
const struct stamp *stamp_of_program(const struct stamp_list *list, const char *program);

#endif
