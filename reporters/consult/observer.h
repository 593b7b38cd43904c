/* Looks from outside at all processes of a run, at moments that the caller chooses: what each thread does, what it
 * waits for, and where it is.
 *
 * What a thread does is known from the kernel, what it waits for from its profile (struct pcomp_thread, waiting), else
 * from its system call. The object that it
 * waits for, too. Where it is: the function that called what it waits in; else the top of its
 * shadow stack. In a COUNTS profile that is the innermost timed function: those that are only counted are not on it.
 *
 * Not thread-safe. */
#ifndef PCOMP_OBSERVER_H
#define PCOMP_OBSERVER_H

#include "reporters/consult/foci.h"
#include "reporters/consult/thread_view.h"
#include "reporters/consult/why_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct observed_thread {
    struct thread_view view;
    int tid;
    uint32_t number; /* of all threads of the run, from 0 */
    uint64_t faults;
    double sampled_s; /* when; negative: not yet */
    double first_s;   /* when first */
    bool listed;
};

struct observed_process {
    struct live_profile *profile;
    struct focus_cache cache;
    struct observed_thread *threads;
    size_t thread_count, thread_room;
    uint64_t
        *timed; /* by function id: calls that were timed, and are not yet seen in the counters, which have them, too */
    size_t timed_room;
    double listed_s, refreshed_s, born_s;
    bool ended;
};

struct observed_name { /* of a thread of the run, for reports */
    int pid, tid;
    char name[32];
    uint32_t process; /* number */
    bool measured;    /* it ran an instrumented function; others are not looked at */
};

struct observation { /* of one thread at a moment */
    uint32_t process, thread;
    enum why why;
    double faults;           /* part of the time since the last look that page faults took: 0 to 1 */
    uint32_t path, function; /* where; FOCUS_NONE not known */
    uint32_t object;         /* what it waits for; FOCUS_NONE nothing that is known */
};

struct observer {
    const char *dir;
    struct foci foci;
    struct observed_process *processes;
    size_t process_count, process_room;
    struct observed_name *names;
    size_t name_count, name_room;
    struct observation *seen; /* of the last look */
    size_t seen_count, seen_room;
    double scanned_s, fault_s; /* seconds that one page fault takes */
    bool counts;               /* some profile is a COUNTS one */
    uint64_t looks, unknown;   /* at threads; of these where what was looked for was not known */
};

/* `dir`: the data directory of the run; must outlive the observer. */
bool observer_open(struct observer *observer, const char *dir);
void observer_close(struct observer *observer);

/* Looks at all threads at `now` (seconds from the start of the run). located: bits of the kinds of which the place is
 * wanted. Returns how many threads were seen, in observer->seen. */
size_t observer_sample(struct observer *observer, uint32_t located, double now);

struct observed_cost { /* what hooks took since the last time */
    double hooks_s;    /* seconds: calls times what a call costs by the calibration */
    uint64_t calls;
    double *functions_s; /* by function number; `room` of them, to be freed by the caller */
    size_t room;
};

/* Adds up since the last time. `functions`: also by function. */
void observer_cost(struct observer *observer, struct observed_cost *cost, bool functions);

#endif
