/* gzip on its way into a stream. */
#ifndef PCOMP_EXPORT_GZIP_H
#define PCOMP_EXPORT_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct export_gzip {
    FILE *out;
    z_stream z;
};

/* False: out of memory; then there is nothing to end. */
bool export_gzip_begin(struct export_gzip *gzip, FILE *out);
void export_gzip_write(struct export_gzip *gzip, const void *data, size_t size);
/* Writes what is left, and frees. */
void export_gzip_end(struct export_gzip *gzip);

#endif
