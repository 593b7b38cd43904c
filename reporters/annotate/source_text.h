/* The lines of a source file, for people: cleaned, tabs kept. */
#ifndef PCOMP_SOURCE_TEXT_H
#define PCOMP_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_text {
    char **lines; /* [0] is line 1 */
    size_t count;
    bool newer; /* than `ran_ns`: lines may be others than those that ran */
};

/* Reads a file of at most 16 MiB; one that was moved with its tree is looked for under the working directory. False: it
 * is not to be had. ran_ns: CLOCK_REALTIME when the program ran; 0 unknown. */
bool source_text_read(struct source_text *text, const char *path, uint64_t ran_ns);
void source_text_free(struct source_text *text);

#endif
