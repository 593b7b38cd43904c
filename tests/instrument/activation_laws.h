/* What holds of the activations of a call path, of threads that were killed, too. */
#ifndef PCOMP_TEST_ACTIVATION_LAWS_H
#define PCOMP_TEST_ACTIVATION_LAWS_H

#include "tests/support/profile_view.h"

/* The mean lies between the least and the greatest activation. An exit counts the call first, then come its time, the
 * least and the greatest one: a thread that was seen last in an exit has one path where the call has no time yet, or
 * the greatest one lacks it. */
bool activations_have_mean(const struct view *v, uint32_t node);

/* All are in buckets, but for those of a thread that did not end: the one that was pending when it was seen last, and
 * the one before, which an exit was putting into its bucket. */
bool activations_are_in_buckets(const struct view *v, uint32_t node);

#endif
