/* Calls of sites that are not resolved (profiler/code/sites/sites.h): whose they are is found
 * out, the call is counted, and the site waits for its slot to be resolved.
 *
 * Any thread; signals need not be blocked. errno is kept. `sp` is the stack address of the hook. */
#ifndef PCOMP_FIRST_CALLS_H
#define PCOMP_FIRST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct site;

/* A hook call: whether the hook is to run. Called by probes. */
bool first_enter(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp);
bool first_exit(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp);

/* The enter of a sled: the function, whose probe is to run; 0: it is not. first_sled_again: where all is known of the
 * site but its slot; FIRST_SLED_UNKNOWN: it is not, and the call is not counted. On the program's stack, without vector
 * registers and system calls. */
#define FIRST_SLED_UNKNOWN 1
uint64_t first_sled(struct site *site, uint64_t call_site, uint64_t sp);
uint64_t first_sled_again(struct site *site);

#endif
