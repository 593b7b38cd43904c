/* A profile for who recorded a trace and has not replayed it: made of the traces when it is asked for, with the
 * time-based model, each thread compensated for its own events. */
#ifndef PCOMP_TRACED_PROFILE_H
#define PCOMP_TRACED_PROFILE_H

#include <stdbool.h>

/* Where `dir` has traces instead of counts, makes a scratch directory of profiles: *made, which the caller removes with
 * scratch_dir_remove. Else *made is NULL. Returns an exit status, after a message if it is not 0. */
int traced_profile_make(const char *dir, bool salvage, char **made);

#endif
