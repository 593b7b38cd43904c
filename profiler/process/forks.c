#include "profiler/process/forks.h"

#include "profiler/base/counts.h"
#include "profiler/base/run.h"
#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/sampler.h"
#include "profiler/record/inherited.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

void forks_before(void)
{
    if (run_locked_in)
        return;
    inherited_take();
    counts_before_fork();
}

void forks_after(void)
{
    if (run_locked_in)
        return;
    counts_after_fork();
    inherited_drop();
}

static bool forgotten; /* by the handlers, until the child begins a session of its own */

static void forget(void)
{
    loaded_modules_fork();
    counts_in_child();
    sites_fork();
    call_frames_fork();
    sampler_forget();
}

void forks_forget_parent(void)
{
    if (!forgotten)
        forget();
    forgotten = false;
}

void forks_in_child(void)
{
    if (run_locked_in)
        return;
    struct thread_state *h = current_thread;
    if (h->self == h)
        memset(h, 0, sizeof(*h)); /* as the kernel does, where it can */
    run_wipe_mark();
    inherited_keep();
    forget();
    forgotten = true;
}

void forks_start(void)
{
    static bool done;
    if (!done)
        done = pthread_atfork(forks_before, forks_after, forks_in_child) == 0;
}
