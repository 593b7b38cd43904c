/* The profile file as memory: where it lies, its mapping, and the allocation of chunks from it.
 *
 * The live file lies on tmpfs (/dev/shm), because the write-back of a disk file system stalls the writers of a hot
 * mapping; a symbolic link in the data directory leads to it, and closing copies it there. No descriptor stays open:
 * room is reserved through the mapping (MADV_POPULATE_WRITE), which reports a full file system instead of raising
 * SIGBUS. Functions are called with signals blocked; they lock where needed. */
#ifndef PCOMP_STORE_H
#define PCOMP_STORE_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>

#define STORE_MIN (1u << 20) /* bytes: a file that must stay smaller (RLIMIT_FSIZE) is not begun */

extern struct pcomp_header *store_header; /* NULL until opened */
extern bool store_closed;                 /* what is added from now on may not be in the file */

/* Random bytes that no other user can know, at most 16. */
void store_random(unsigned char *to, size_t size);

/* Creates the profile file of this process in `directory`, as image `n` of `pid`, and maps it. Returns NULL or a static
 * text that says what failed; errno then tells why. *exists: the name is taken. */
const char *store_open(const char *directory, int pid, unsigned n, bool *exists);

/* Where the profile file lies, or will lie at the end. */
const char *store_path(void);

/* A new zeroed chunk of at least `size` bytes (header included). NULL: no room (header->stopped says why). */
struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size);

/* Gives a chunk back for chunks of at most its size. */
void store_free(struct pcomp_chunk *chunk);

/* Copies text into a STRINGS chunk; `length` bytes and a NUL. Returns its link, 0 when there is no room. */
uint64_t store_text(const char *text, size_t length);

/* Reserves `size` bytes at `address` of a mapping. False: the file system has no room. */
bool store_reserve(void *address, size_t size);

/* Copies the file into the data directory (when it lies elsewhere) and cuts it to its used size. The header page is
 * then a mapping of the final file, all else the old memory, to which late hooks may still write. False: it stays where
 * it is, a later pcomp command will fetch it. `gone`: the directory is no more, and what lies elsewhere is removed. */
bool store_close(bool gone);

/* Writes a copy of the profile as it is, closed at `tick`, into another directory. Returns 0 or an errno. */
int store_copy(const char *directory, uint64_t tick);

/* Removes the file again: nothing could be measured. */
void store_discard(void);

/* A store in private memory instead, for calibration: what is measured into it is thrown away by the second call. */
bool store_scratch_begin(void);
void store_scratch_end(void);

/* In the child of a fork: forgets the mapping of the parent. */
void store_forget(void);

#endif
