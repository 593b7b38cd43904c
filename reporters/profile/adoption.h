/* Fetching the profile file that an ended process left in memory. */
#ifndef PCOMP_ADOPTION_H
#define PCOMP_ADOPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies the first `used` bytes of `memory` (the target of the link `path`) beside `path`, renames the copy over the
 * link, and removes `memory`. The copy has the mode and the owner of `memory`. Refuses what is not named as the library
 * names it, what does not belong to the owner of both the directory and the link, and what is of another run than the
 * directory. Safe against other commands doing the same at the same time. False after writing why to error; everything
 * is then as it was. */
bool adopt_profile(const char *path, const char *memory, uint64_t used, char *error, size_t error_size);

#endif
