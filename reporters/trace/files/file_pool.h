/* Files of which more are in use than a process may have open: each is opened again when it is used, and those that
 * were used longest ago are closed. At most half of the descriptors that the process may have are taken.
 *
 * Thread-safe; a file may be used by several threads at once. */
#ifndef PCOMP_FILE_POOL_H
#define PCOMP_FILE_POOL_H

#include <stdbool.h>

struct pooled_file;

/* As open(2), O_CLOEXEC added. Opened again it is neither created nor cut. NULL with errno. */
struct pooled_file *pooled_file_open(const char *path, int flags, unsigned mode);

/* A descriptor, at no certain place, until pooled_file_done. -1 with errno; ESTALE: another file has its name by now.
 */
int pooled_file_use(struct pooled_file *file);
void pooled_file_done(struct pooled_file *file);

/* False with errno: what was written may not be there. */
bool pooled_file_close(struct pooled_file *file);

#endif
