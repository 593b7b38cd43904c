/* Probes of a trace whose slots count calls: what hook calls and sleds lead to that are recorded
 * (instrument/probes/probes.c). Reached by a jump from a slot, in assembler alone. */
#ifndef PCOMP_TRACED_PROBES_H
#define PCOMP_TRACED_PROBES_H

#define PROBE __attribute__((visibility("hidden"))) void

PROBE hook_enter_traced(void *function, void *site);
PROBE hook_exit_traced(void *function, void *site);
PROBE sled_enter_traced(void);
PROBE sled_return_traced(void);
PROBE sled_tail_traced(void);

/* Of sites that are not resolved. */
PROBE hook_enter_first_traced(void);
PROBE hook_exit_first_traced(void);
PROBE sled_first_traced(void);

#undef PROBE

#endif
