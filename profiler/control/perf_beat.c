#include "profiler/control/perf_beat.h"

#include "profiler/base/raw_call.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/mman.h>

#define PAGE 4096

static bool sends_signals(long fd, int signal)
{
    struct f_owner_ex owner = {F_OWNER_TID, (int)raw_call(SYS_gettid, 0, 0, 0, 0)};
    return raw_call(SYS_fcntl, fd, F_SETOWN_EX, (long)(uintptr_t)&owner, 0) >= 0 &&
           raw_call(SYS_fcntl, fd, F_SETSIG, signal, 0) >= 0 && raw_call(SYS_fcntl, fd, F_SETFL, O_ASYNC, 0) >= 0;
}

bool perf_beat_open(struct perf_beat *beat, int signal, uint64_t period_ns)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof(a),
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = period_ns,
                                .wakeup_events = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    beat->page = NULL;
    long fd = raw_call6(SYS_perf_event_open, (long)(uintptr_t)&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (fd < 0)
        return false;
    long page = raw_call6(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    bool good = page >= 0 || page < -PAGE;
    if (good && !sends_signals(fd, signal)) {
        raw_call(SYS_munmap, page, PAGE, 0, 0);
        good = false;
    }
    raw_call(SYS_close, fd, 0, 0, 0);
    if (!good)
        return false;
    raw_call(SYS_madvise, page, PAGE, MADV_DONTFORK, 0);
    beat->page = (void *)(uintptr_t)page;
    beat->fd = (int)fd;
    return true;
}

void perf_beat_close(struct perf_beat *beat)
{
    void *page = __atomic_exchange_n(&beat->page, NULL, __ATOMIC_SEQ_CST);
    if (page)
        raw_call(SYS_munmap, (long)(uintptr_t)page, PAGE, 0, 0);
}
