/* What the trace knows of this process as a child. */
#ifndef PCOMP_PROCESS_TOKENS_H
#define PCOMP_PROCESS_TOKENS_H

#include <stdbool.h>

/* True in a process that was forked while a trace was recorded; false in one that shares its parent's memory (vfork).
 */
bool process_is_forked(void);

#endif
