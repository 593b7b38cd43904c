/* The laws of collective operations in the traces of one MPI job. */
#ifndef PCOMP_TEST_CHECK_COLLECTIVES_H
#define PCOMP_TEST_CHECK_COLLECTIVES_H

#include "tests/support/trace_events.h"

/* Prints and counts a miss; of the program that uses this. */
void miss(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How far the clocks of two ranks may be apart, in ticks; of the program that uses this. */
extern uint64_t clock_error;

/* The operations of a location: each enter has its exit. */
void collectives_read(const struct trace_events *trace);

/* When all were read: the n-th on a communicator is the same for all members, and who waits for whom has waited. */
void collectives_check(void);

#endif
