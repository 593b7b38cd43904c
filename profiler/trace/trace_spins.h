/* What samples tell the trace. Waits of a thread that spins on memory, and makes no call: samples meet its pause
 * instruction, and each stands for a period of waiting that no rule covers. And that time has passed, in which calls
 * were counted in place. */
#ifndef PCOMP_TRACE_SPINS_H
#define PCOMP_TRACE_SPINS_H

/* Once a session: samples of traced threads are looked at. */
void trace_spins_start(void);

#endif
