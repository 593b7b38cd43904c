/* A signal to one thread at equal distances of its processor time, by perf events: cpu-clock, which has a timer of its
 * own in the kernel, so that the distance may be shorter than a tick. The signal is sent only where the thread runs in
 * the program, never in a system call: so it ends no wait early. No descriptor stays open, since the mapping keeps the
 * event alive.
 *
 * The signal must be one of the first 31, which the kernel sends without a queue: a real-time signal that finds no room
 * in the queue (ulimit -i) becomes a SIGIO, which ends a program. */
#ifndef PCOMP_PERF_BEAT_H
#define PCOMP_PERF_BEAT_H

#include <stdbool.h>
#include <stdint.h>

struct perf_beat {
    void *page; /* NULL: none */
    int fd;     /* what siginfo says of its signals */
};

/* Of the calling thread, from now on. False: the system does not allow that. */
bool perf_beat_open(struct perf_beat *beat, int signal, uint64_t period_ns);

/* Any thread. No signal is sent any more; one may be under way. */
void perf_beat_close(struct perf_beat *beat);

#endif
