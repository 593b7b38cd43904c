#include "profiler/base/run.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum mark { MARK_WIPED, MARK_OWN, MARK_FORGETTING };

enum run_state run_state;
double run_tick_hz;
struct pcomp_delta run_delta[PCOMP_VARIANTS];
struct pcomp_header *run_header;
uint64_t run_threads_ns;
bool run_locked_in;
__thread bool sanitizer_is_late;

static uint32_t *mark; /* enum mark, in a page that is wiped in the child of a fork */
static bool touching;

bool run_is_on(void)
{
    return __atomic_load_n(&run_state, __ATOMIC_ACQUIRE) == RUN_RUNNING && *mark == MARK_OWN;
}

bool run_is_closed(void)
{
    return __atomic_load_n(&run_state, __ATOMIC_SEQ_CST) == RUN_CLOSED;
}

void run_count_lost(void)
{
    if (run_header)
        __atomic_add_fetch(run_is_closed() ? &run_header->late_calls : &run_header->lost_calls, 1, __ATOMIC_RELAXED);
}

void run_touch(void)
{
    if (!run_header || __atomic_exchange_n(&touching, true, __ATOMIC_ACQUIRE))
        return; /* another thread renews the pair just now: both halves must be of one reading */
    uint64_t tick, ns;
    clock_pair(config.clock, &tick, &ns);
    run_header->tick1 = tick;
    run_header->mono1_ns = ns;
    __atomic_store_n(&touching, false, __ATOMIC_RELEASE);
}

void run_say(const char *what, const char *why, const char *advice)
{
    const char *parts[] = {"pcomp: ",
                           what,
                           why ? ": " : "",
                           why ? why : "",
                           advice ? " (" : "",
                           advice ? advice : "",
                           advice ? ")\n" : "\n"};
    struct iovec v[7];
    for (int i = 0; i < 7; i++)
        v[i] = (struct iovec){(void *)(uintptr_t)parts[i], strlen(parts[i])};
    /* a broken pipe, or a file at its limit, must not end a program that itself writes nothing there */
    static const struct timespec at_once = {0, 0};
    sigset_t raised, before, saved_signals;
    int saved = errno;
    sigemptyset(&raised);
    sigaddset(&raised, SIGPIPE);
    sigaddset(&raised, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &raised, &saved_signals);
    sigpending(&before);
    if (writev(STDERR_FILENO, v, 7) < 0 && !sigismember(&before, errno == EPIPE ? SIGPIPE : SIGXFSZ) &&
        (errno == EPIPE || errno == EFBIG))
        sigtimedwait(&raised, NULL, &at_once);
    signals_restore(&saved_signals);
    errno = saved;
}

/* --- forks -----------------------------------------------------------------------------------------------------------
 */

bool run_mark_process(void)
{
    if (!mark) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return false;
        madvise(page, 4096, MADV_WIPEONFORK);
        mark = page;
    }
    __atomic_store_n(mark, MARK_OWN, __ATOMIC_RELEASE);
    return true;
}

void run_wipe_mark(void)
{
    if (mark)
        __atomic_store_n(mark, MARK_WIPED, __ATOMIC_RELEASE);
}

bool run_is_new_child(void)
{
    return mark && __atomic_load_n(mark, __ATOMIC_ACQUIRE) != MARK_OWN;
}

void run_become_child(void (*forget)(void))
{
    uint32_t wiped = MARK_WIPED;
    if (__atomic_compare_exchange_n(mark, &wiped, MARK_FORGETTING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        touching = false;
        forget();
        run_header = NULL;
        __atomic_store_n(mark, MARK_OWN, __ATOMIC_RELEASE);
    }
    for (int turn = 0; run_is_new_child(); turn++)
        spin_wait(turn);
}
