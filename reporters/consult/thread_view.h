/* What a thread does at a moment, as the kernel tells it (/proc/PID/task/TID). */
#ifndef PCOMP_THREAD_VIEW_H
#define PCOMP_THREAD_VIEW_H

#include <stdbool.h>
#include <stdint.h>

enum thread_does {
    THREAD_GONE,   /* ended, stopped, or not to be read */
    THREAD_RUNS,   /* or waits for a processor */
    THREAD_IO,     /* in a system call that reads, writes, or waits for input or output */
    THREAD_SLEEPS, /* until a time */
    THREAD_FAULTS, /* waits for a page */
    THREAD_WAITS   /* in another system call: a futex, a child */
};

struct thread_view {
    int stat_fd, syscall_fd; /* -1: not open */
};

struct thread_moment {
    enum thread_does does;
    uint64_t stack;  /* stack pointer of a thread that waits; 0 not known */
    uint64_t faults; /* minor page faults so far */
};

/* False: there is no such thread. */
bool thread_view_open(struct thread_view *view, int pid, int tid);
void thread_view_close(struct thread_view *view);

/* wants_call: tell what a waiting thread waits in; else it is THREAD_WAITS. */
struct thread_moment thread_view_read(const struct thread_view *view);

#endif
