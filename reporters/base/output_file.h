/* A result file that is there complete or not at all: written under a temporary name beside it, then renamed.
 *
 * "-" is standard output; what is no regular file (a pipe, /dev/stdout) is written to directly. */
#ifndef PCOMP_OUTPUT_FILE_H
#define PCOMP_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *stream;
    char *target, *temporary; /* temporary NULL: written to directly */
};

/* False after a message on stderr. */
bool output_file_open(struct output_file *file, const char *path);

/* Ends the file: keep makes it appear under its name, else it is removed. False after a message. */
bool output_file_close(struct output_file *file, bool keep);

#endif
