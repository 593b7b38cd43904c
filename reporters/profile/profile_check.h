/* Checking a profile file in memory: header, chunks, tables, links. Internal to profile_file.c.
 *
 * Each check names the first thing that is wrong as "PATH: offset 0x..: expected X, found Y". Under salvage the same
 * text becomes file->damage and the part that is wrong is left out. */
#ifndef PCOMP_PROFILE_CHECK_H
#define PCOMP_PROFILE_CHECK_H

#include "reporters/profile/profile_records.h"

/* Checks the first `available` bytes at `data` as a header and copies it to *header. */
bool profile_check_header(const char *path, const void *data, uint64_t available, struct pcomp_header *header,
                          char *error, size_t error_size);

/* Fills chunks, page_chunk, tables, threads and stacks of file from data, size and header.
 * file_size is what the file really has. False after writing error. */
bool profile_check_contents(struct profile_file *file, uint64_t file_size, bool live, char *error, size_t error_size);

/* True when *size_of bytes of a chunk header at `offset` are plausible; for scanning a file that is being written. */
bool profile_check_chunk(const struct pcomp_chunk *chunk, uint64_t offset, uint64_t limit);

/* Notes damage: true under salvage (go on without that part), else false with error written. */
bool profile_damaged(struct profile_file *file, char *error, size_t error_size, uint64_t offset, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));

#endif
