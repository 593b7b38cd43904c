/* Counters of calls: for each thread a block of them, indexed by the function's id. A slot
 * (profiler/code/arch/x86_64/slots.h) increments the one of its function in the block of the thread that runs it:
 *
 *     %fs:counts_thread ──▶ | 0 | 1 | 2 | ... |  records of a COUNTS chunk of the profile
 *
 * Blocks grow: a thread that needs more counters gets a block of twice the size beside the old one, which stays, since
 * the thread may stand between the two instructions of a slot. What a thread counted is the sum of its blocks.
 *
 * A thread that the library did not see begin, or whose last destructor has run, counts in a block that all such
 * threads share, without a lock: those counts are inexact, and marked. A block of a thread that ended is added to one
 * of all that ended, and serves the next thread.
 *
 * Functions are called with signals blocked, unless they say otherwise. */
#ifndef PCOMP_COUNTS_H
#define PCOMP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTS_MAX (1u << 20) /* counters of a block; functions with greater ids are counted by their hooks alone */

/* The calling thread's newest block. */
extern __thread uint64_t *counts_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Where that pointer lies, from the thread pointer. */
int32_t counts_tls_offset(void);

/* Whether this process counts calls in place: between counts_start and counts_close. */
extern bool counts_on;

/* Once a session, when the profile is open. */
void counts_start(void);

/* Gives the calling thread its own block, unless it has one. Where there is no memory it keeps the common one. */
void counts_begin_thread(void);

/* Room for the counters of functions below `count`, in all threads. Before a slot that needs it is resolved, with
 * sites_synchronise in between. False: there is none. */
bool counts_make_room(uint32_t count);

/* Counts one call of a function, in the calling thread. Signals need not be blocked. False: there is no counter. */
bool counts_add(uint32_t function);

/* The sum of all blocks of each of the first `count` functions is added to sums[]. */
void counts_sum(uint64_t *sums, uint32_t count);

/* The calling thread's counters, until it ends; NULL: it counts in the common block. And what they say of a function:
 * any thread, no lock. */
struct counts_owner;
const struct counts_owner *counts_own(void);
uint64_t counts_of(const struct counts_owner *own, uint32_t function);

/* What is in the common block is copied to the profile. */
void counts_publish(void);

/* Publishes for the last time. No block is made any more when it returns: another store takes the profile's place.
 * Returns how many calls are lost, since there is no memory for them in the profile. */
uint64_t counts_close(void);

/* Around a fork of the calling thread: what it counts in between belongs to the process that it is counted in. Signals
 * need not be blocked. */
void counts_before_fork(void);
void counts_after_fork(void);
void counts_in_child(void);

#endif
