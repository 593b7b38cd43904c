/* The hooks that -finstrument-functions calls: the repeated call, and the way to the rest. See profiler/hot.h. */
#include "instrument/export.h"
#include "profiler/callstack.h"
#include "profiler/hot.h"

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    uint64_t sp = HOT_SP();
    struct hot *h = hot_thread;
    uint64_t pos = h->pos;
    h->pos = pos + sizeof(struct pcomp_frame);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* published before it is filled */
    struct pcomp_frame *f = hot_frame(h, pos + sizeof(struct pcomp_frame));
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function || f->sp != sp, 0)) {
        callstack_enter((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, h, pos);
        return;
    }
    f->overhead = h->overhead;
    f->start = hot_clock();
}

void __cyg_profile_func_exit(void *function, void *site)
{
    uint64_t now = hot_clock();
    uint64_t sp = HOT_SP();
    struct hot *h = hot_thread;
    struct pcomp_frame *f = hot_frame(h, h->pos);
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function || sp - f->sp > HOT_EXIT_REACH, 0)) {
        callstack_exit((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, h, now);
        return;
    }
    hot_account(h, f, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->pos -= sizeof(struct pcomp_frame);
}
