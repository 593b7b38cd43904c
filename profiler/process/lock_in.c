#include "profiler/process/lock_in.h"

#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/sampler.h"
#include "profiler/process/session.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

void lock_in(void)
{
    uint64_t enter = (uint64_t)(uintptr_t)__cyg_profile_func_enter, exit = (uint64_t)(uintptr_t)__cyg_profile_func_exit;
    sigset_t saved;
    int kept = errno;
    bool runs = run_is_on();
    if (run_locked_in || (runs && store_header->pid != raw_call(SYS_getpid, 0, 0, 0, 0)))
        return; /* or a child that shares this memory until it executes another program */
    signals_block(&saved);
    if (runs) {
        store_header->stopped |= PCOMP_STOPPED_LOCKED_IN;
        session_close();
        sampler_end_all();
    }
    if (!sites_start(enter, exit))
        sites_end(enter, exit);
    run_locked_in = true;
    signals_restore(&saved);
    errno = kept;
}
