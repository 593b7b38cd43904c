/* Activations that had not ended when the process was killed, or that are running while its profile is read.
 *
 * They are in no node yet; they are read from the shadow stacks (struct pcomp_frame) and closed at the best known
 * tick: now for a running process; the exit of the thread or process where it is recorded; else the last event of the
 * whole process, because its threads all lived until it was killed. A stack that its thread had left (a resting
 * coroutine) is closed at its own last event. */
#ifndef PCOMP_OPEN_ACTIVATIONS_H
#define PCOMP_OPEN_ACTIVATIONS_H

#include "reporters/profile/profile_file.h"

struct open_activation {
    uint32_t node;       /* index; its parent chain leads to the thread's root */
    uint32_t thread;     /* index in profile_file.threads */
    bool counted;        /* one of N; false for frames inherited through fork */
    bool nested;         /* folded recursion: inside another open activation of the same node, whose time includes it */
    uint64_t raw;        /* ticks */
    int64_t compensated; /* fixed-point ticks, under header.model */
    int64_t raw_exclusive, compensated_exclusive; /* the same without children; only with folded recursion */
};

struct open_activations {
    struct open_activation *items; /* grouped by thread, outer before inner */
    size_t count;
    uint64_t end_tick; /* when the process ended, as far as known, or the tick of now */
};

/* Finds them; `running` tells that the process is alive. False: out of memory. */
bool open_activations_find(const struct profile_file *file, bool running, struct open_activations *out);
void open_activations_free(struct open_activations *open);

#endif
