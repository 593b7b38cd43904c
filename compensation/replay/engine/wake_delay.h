/* Wake-up delay: time from the cause of a wait to its end, for waits that blocked, and for waits that did not.
 *
 * A thread that sleeps, or polls and yields, continues some time after the cause; a thread that finds the cause already
 * there continues at once. A wait that appears or vanishes in the approximation gets the delay of its new kind, the
 * mean over its process. The papers carry the measured delay over in all cases (W). */
#ifndef PCOMP_REPLAY_WAKE_DELAY_H
#define PCOMP_REPLAY_WAKE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum { WAKE_DELAYS = 64 };

struct wake_delay { /* all zero: nothing is known */
    int64_t recent[WAKE_DELAYS];
    uint64_t count;
    int64_t low, high; /* quartiles of the recent ones; any unit */
    int64_t median;    /* of a question; 0: none was seen */
};

struct wake_delays {
    struct wake_delay waited, passed;
    bool asks; /* what if: nothing is added, a few waits are enough, and who does not wait goes on at once */
};

/* Delays that are known from one replay of a trace to the next: from its first event on. All zero: none yet. */
struct wake_memory {
    struct wake_known *known;
};

/* Those of a kind of waits in a process, made where there are none. NULL: no memory. */
struct wake_delays *wake_memory_find(struct wake_memory *memory, uint32_t process, uint32_t kind);
void wake_memory_free(struct wake_memory *memory);

/* From now on they answer what a faster function would change. */
void wake_delays_ask(struct wake_delays *delays);

/* Adds a measured delay, of one that waited or of one that did not. */
void wake_delay_add(struct wake_delays *delays, bool waited, int64_t delay);

/* Both kinds were seen often enough, and the middle halves of them lie apart. */
bool wake_delays_differ(const struct wake_delays *delays);

/* Variance of a delay that was changed, from the quartiles of both kinds; square of the unit. */
double wake_delay_variance(const struct wake_delays *delays);

/* What a delay becomes where it waited in one execution and not in the other: the difference of the lower quartiles is
 * added or taken away, down to 0 (what disturbs only lengthens). Of a question it becomes the median of the other kind:
 * some waits of a trace end before the thread sleeps, and those that appear are long. Unchanged unless they differ. */
int64_t wake_delay_changed(const struct wake_delays *delays, int64_t delay, bool waited, bool waits);

#endif
