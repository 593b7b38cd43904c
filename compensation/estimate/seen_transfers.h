/* Transfers whose time the trace tells: they stand for those of messages that were there before their receiver.
 *
 * No message takes longer than a larger one in the mean: one of n bytes takes no longer than the mean of the transfers
 * of a size class above, nor of its own class in proportion to the bytes. In order of measured time, so that every
 * replay of a job sees the same. All zero is empty; the owner's lock. */
#ifndef PCOMP_SEEN_TRANSFERS_H
#define PCOMP_SEEN_TRANSFERS_H

#include <stdint.h>

#define SEEN_TRANSFERS_CLASSES 65 /* 0; 1; 2, 3; 4 to 7; ... bytes */
#define SEEN_TRANSFERS_MIN     8  /* of a class, before it tells anything */

struct seen_transfers {
    struct {
        double time, bytes; /* sums */
        uint64_t count;
    } of[SEEN_TRANSFERS_CLASSES];
};

/* time: in any unit, 0 or more. */
void seen_transfers_add(struct seen_transfers *seen, uint64_t bytes, int64_t time);

/* The time that a message of so many bytes takes at most in the mean, in that unit; INT64_MAX: not known. */
int64_t seen_transfers_bound(const struct seen_transfers *seen, uint64_t bytes);

/* What messages of about that size took in the mean, in that unit; 0: not known. */
int64_t seen_transfers_like(const struct seen_transfers *seen, uint64_t bytes);

#endif
