/* The laws of sampled profiles (PCOMP_FLAG_SAMPLED): every event of a thread is in one place, every tick in one. */
#ifndef PCOMP_TEST_SAMPLED_LAWS_H
#define PCOMP_TEST_SAMPLED_LAWS_H

#include "tests/support/profile_view.h"

/* Calls `miss` for each law that `v` breaks. `exact`: no jumps and no signals, so that each event was one hook. */
void sampled_laws(const struct view *v, bool exact,
                  void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))));

/* Ticks that the file has for the inclusive time of node `i`, the mean of the timed standing for the others. */
double sampled_inclusive(const struct view *v, uint32_t i);

#endif
