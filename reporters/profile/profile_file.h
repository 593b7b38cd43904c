/* Opening and checking a profile file. */
#ifndef PCOMP_PROFILE_FILE_H
#define PCOMP_PROFILE_FILE_H

#include "reporters/profile/profile_records.h"

enum profile_access {
    PROFILE_ENDED, /* nobody writes: mapped */
    PROFILE_LIVE   /* its process runs: copied in an order that keeps links whole */
};

/* Opens and checks the file. Returns NULL after writing "PATH: offset 0x..: expected X, found Y" (or the system's
 * reason) to error. With salvage, damage behind the header is not an error: what is whole is used, `damage` tells. */
struct profile_file *profile_file_open(const char *path, enum profile_access access, bool salvage, char *error,
                                       size_t error_size);

/* The same for bytes in memory (8-byte aligned), which must outlive the result. For tests and the fuzzer. */
struct profile_file *profile_file_from_memory(const char *name, const void *data, uint64_t size, bool salvage,
                                              char *error, size_t error_size);

/* Reads and checks the header alone: magic, version, byte order, sizes. True, or false after writing error. */
bool profile_file_read_header(const char *path, struct pcomp_header *header, char *error, size_t error_size);

#endif
