/* Compresses a trace file in place, so that less of the disk is taken: PATH becomes PATH.zst, which every reader of
 * traces opens under the name PATH. Thread-safe on different files. */
#ifndef PCOMP_TRACE_COMPRESS_H
#define PCOMP_TRACE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nobody may be writing the file. Sets the sizes in bytes. False after writing to error why it stays as it was. */
bool trace_compress(const char *path, uint64_t *before, uint64_t *after, char *error, size_t error_size);

#endif
