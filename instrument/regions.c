/* Manual regions and control (pcomp.h). */
#include "instrument/pcomp.h"

#include "instrument/exported.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/base/thread_state.h"
#include "profiler/hooks/callstack.h"
#include "profiler/process/run_directory.h"

#include <errno.h>
#include <string.h>

EXPORT void pcomp_region_begin(const char *name)
{
    callstack_enter_region(name, HOOK_SP());
}

EXPORT void pcomp_region_end(const char *name)
{
    uint64_t now = clock_ticks();
    callstack_exit_region(name, HOOK_SP(), now);
}

EXPORT void pcomp_pause(void)
{
    callstack_pause();
}

EXPORT void pcomp_resume(void)
{
    callstack_resume();
}

EXPORT int pcomp_snapshot(const char *label)
{
    if (!label || !*label || label[strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")]) {
        errno = EINVAL;
        return -1;
    }
    int saved = errno;
    uint64_t now = clock_read(config.clock);
    callstack_pause();
    char directory[4300];
    int failed =
        store_header && !config.trace ? run_directory_for_snapshot(label, directory, sizeof(directory)) : ENODATA;
    if (!failed)
        failed = store_copy(directory, now);
    callstack_resume();
    errno = failed ? failed : saved;
    return failed ? -1 : 0;
}
