/* Hooks off but for short bursts of random length at random distances, in which everything is counted as by default
 * (profiler/sampling.h): --mode burst from the start, --budget when counting every call costs more than that, until it
 * no longer does.
 *
 *   hooks   ███████░░░░░░░░░░░░░░░░██░░░░░░░░░░░░░░░░░░░███░░░░░░░░░░░░░░░░░░░░██░░░░░░
 *           exact  |◀──── gap ────▶| burst
 *
 * A thread of the library's own turns them. It is none of the C library's: it has no thread-local memory, blocks all
 * signals, calls no function of the program, and does not keep the process alive when the program's last thread ends.
 * The child of a fork starts its own with its first hook. What belongs to which phase is profiler/phases.h, what a
 * burst may cost compensation/budget.h, how the whole is estimated compensation/burst.h. */
#ifndef PCOMP_BURSTS_H
#define PCOMP_BURSTS_H

/* Begins, once a session; signals blocked. Returns NULL, or why hooks stay on. */
const char *bursts_start(void);

/* Ends: hooks are on when it returns. Nothing where they were not begun. Signals blocked. */
void bursts_stop(void);

/* A function that is held has been called often: whether too often is looked at sooner than planned. Any thread; keeps
 * errno. */
void bursts_hurry(void);

/* Child of a fork. */
void bursts_forget(void);

#endif
