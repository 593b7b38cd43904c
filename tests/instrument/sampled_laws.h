/* The laws of sampled profiles (PCOMP_FLAG_SAMPLED): every event of a thread is in one place, every tick in one. */
#ifndef PCOMP_TEST_SAMPLED_LAWS_H
#define PCOMP_TEST_SAMPLED_LAWS_H

#include "tests/support/profile_view.h"

enum laws {
    LAWS_ALL,      /* no jumps and no signals: each event was one hook */
    LAWS_OF_SUMS,  /* jumps and signals: some calls have no hook of their own, but all that passed is there */
    LAWS_OF_BOUNDS /* handlers jumped out of hooks: nothing is there twice, what was being added may be missing */
};

/* Calls `miss` for each law that `v` breaks. */
void sampled_laws(const struct view *v, enum laws laws,
                  void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))));

/* Ticks that the file has for the inclusive time of node `i`, the mean of the timed standing for the others. */
double sampled_inclusive(const struct view *v, uint32_t i);

#endif
