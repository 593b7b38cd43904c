/* Sleds are no calls: nothing of this library runs until the sleds of the program are led to their slots, when the
 * library is loaded. A static program names the symbol, so that the archive's member is linked. */
#include "profiler/process/session.h"

char pcomp_sleds_anchor __attribute__((visibility("default")));

/* Behind the look-ups of real_functions.h, before any constructor of the program. */
static __attribute__((constructor(102))) void meet_sleds(void)
{
    session_meet_sleds();
}
