/* Profiles whose calls were counted in place (PCOMP_FLAG_COUNTS), and such with functions that are filtered out: what
 * an expectation of a program says of them. */
#ifndef PCOMP_TEST_COUNTED_LAWS_H
#define PCOMP_TEST_COUNTED_LAWS_H

#include "tests/support/profile_view.h"

/* Calls of the functions of that name by the counters, shared ones included. */
uint64_t counted_calls(const struct view *v, const char *name);

/* Calls in counters that threads share. */
uint64_t counted_inexactly(const struct view *v);

/* Whether a function of that name has this flag; NULL: any function. */
bool counted_flag(const struct view *v, const char *name, uint32_t flag);

/* The same for a name in a call path "main>f>g". */
bool counted_flag_on_path(const struct view *v, const char *path, uint32_t flag);

enum counted_off { COUNTED_OFF, COUNTED_WAITING, COUNTED_READY };

/* Exclusive time off the processor, ms: all of it, or the part of that kind; on all paths that end in that name. */
double counted_off_cpu(const struct view *v, const char *name, enum counted_off kind);

/* Calls `miss` for each path that was off the processor for longer than its own time (not `timed`: functions lost a
 * part of it, or it went elsewhere), and for each ended thread whose paths were for longer than itself. */
void counted_off_laws(const struct view *v, bool timed,
                      void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))));

/* Calls `miss` for each function with more timed calls than counted ones; and, if all: with fewer, where all calls are
 * timed. */
void counted_laws(const struct view *v, bool all,
                  void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))));

#endif
