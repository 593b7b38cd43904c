#include "profiler/first_calls.h"

#include "profiler/config.h"
#include "profiler/counts.h"
#include "profiler/functions.h"
#include "profiler/hot.h"
#include "profiler/levels.h"
#include "profiler/session.h"
#include "profiler/sites/sites.h"
#include "profiler/spin.h"

#include <errno.h>

/* The function's record, made now where it is the first call of all. */
static struct function_info find(uint64_t function)
{
    if (function_is_known(function))
        return function_find(function);
    sigset_t saved;
    int kept = errno;
    signals_block(&saved);
    struct function_info info = function_find(function);
    signals_restore(&saved);
    errno = kept;
    return info;
}

static void count(uint32_t id)
{
    if (counts_add(id))
        return;
    sigset_t saved;
    int kept = errno;
    signals_block(&saved);
    if (!counts_make_room(id + 1) || !counts_add(id))
        session_count_lost();
    signals_restore(&saved);
    errno = kept;
}

/* Whether the function is measured, and where calls are counted, whether it is timed. */
static bool is_timed(struct function_info info)
{
    return !info.skipped && (!config.counts || sites_level(info.id) == SITE_TIMED);
}

static void reach(struct site *site, uint32_t id)
{
    sigset_t saved;
    if (site_is_reached(site) && sites_reach(site, id))
        return;
    int kept = errno;
    signals_block(&saved);
    if (!sites_reach(site, id))
        levels_settle();
    signals_restore(&saved);
    errno = kept;
}

static bool is_measured(uint64_t sp)
{
    struct hot *h = hot_thread;
    return h->self == h ? h->park != PARK_CLOSED : session_attach(sp) != NULL;
}

bool first_enter(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp)
{
    (void)call_site;
    if (!is_measured(sp))
        return false;
    struct function_info info = find(function);
    if (config.counts && !info.skipped)
        count(info.id);
    reach(site, info.id);
    return is_timed(info);
}

/* An exit without its enter is none of ours. */
bool first_exit(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp)
{
    (void)call_site;
    (void)sp;
    const struct hot *h = hot_thread;
    if (h->self != h || h->park == PARK_CLOSED)
        return h->self != h; /* it may have been entered before a fork */
    struct function_info info = find(function);
    reach(site, info.id);
    return is_timed(info);
}

uint64_t first_sled(struct site *site, uint64_t call_site, uint64_t sp)
{
    uint64_t function = sites_function(site);
    return first_enter(function, call_site, site, sp) ? function : 0;
}

bool count_hook(uint64_t function)
{
    struct function_info info = find(function);
    if (!info.skipped)
        count(info.id);
    return is_timed(info);
}
