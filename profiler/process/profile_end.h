/* The profile file when measuring ends: what it holds, why it lacks something, and where it goes. */
#ifndef PCOMP_PROFILE_END_H
#define PCOMP_PROFILE_END_H

#include <stdint.h>

/* Calls in the profile: those counted in place, where that is done; timed calls are among them. */
uint64_t profile_calls_counted(void);

/* Says why measurement stopped, after so many calls or events; nothing where it did not. */
void profile_say_what_stopped(uint64_t counted);

/* Moves the profile into the data directory, or says why it lies elsewhere. */
void profile_move(void);

#endif
