#include "profiler/first_calls.h"

#include "profiler/callstack.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/control/levels.h"
#include "profiler/counts.h"
#include "profiler/functions.h"
#include "profiler/hot.h"
#include "profiler/own_stack.h"
#include "profiler/session.h"
#include "profiler/spin.h"

#include <errno.h>

struct masked {
    struct hot *h;
    sigset_t saved;
    int kept;
};

static bool count_call(uint64_t function, const char *region);

static void mask(struct masked *m)
{
    m->kept = errno;
    signals_block(&m->saved);
    m->h = hot_thread;
    m->h->masked = m->h->self == m->h; /* slow hooks that follow need not do it again */
}

static void unmask(struct masked *m)
{
    m->h->masked = false;
    signals_restore(&m->saved);
    errno = m->kept;
}

/* Signals blocked, but where there is room. */
static void count(uint32_t id)
{
    if (!counts_add(id) && (!counts_make_room(id + 1) || !counts_add(id)))
        session_count_lost();
}

/* Whether the function is measured, and where calls are counted, whether it is timed. */
static bool is_timed(struct function_info info)
{
    return !info.skipped && (!config.counts || sites_level(info.id) == SITE_TIMED);
}

/* Signals blocked. */
static void reach(struct site *site, uint32_t id)
{
    if (!sites_reach(site, id))
        levels_settle();
}

void count_unmeasured(uint64_t function, const char *region, bool counted)
{
    if (!config.counts || session_is_closed())
        session_count_lost();
    else if (!counted)
        count_call(function, region);
}

static bool is_measured(uint64_t sp)
{
    struct hot *h = hot_thread;
    return h->self == h ? h->park != PARK_CLOSED : session_attach(sp) != NULL;
}

/* Enters the function, where every call is timed: its path is new as a rule, and signals are blocked already. */
static bool enter_now(uint64_t function, uint64_t call_site, uint64_t sp, struct hot *h)
{
    uint64_t pos = h->pos;
    if (h->park != PARK_NONE || pos < HOT_DEAD_SIZE || config.trace)
        return false;
    h->pos = pos + sizeof(struct pcomp_frame);
    callstack_enter_counted(function, call_site, sp, 0, h, pos);
    return true;
}

struct first_call {
    uint64_t function, call_site, sp;
    struct site *site;
    bool answer;
};

static void settle_called(void *unused)
{
    struct masked m;
    (void)unused;
    mask(&m);
    levels_settle();
    unmask(&m);
}

static void first_enter_called(void *any)
{
    struct first_call *c = any;
    struct masked m;
    mask(&m);
    struct function_info info = function_find(c->function);
    if (config.counts && !info.skipped)
        count(info.id);
    if (info.skipped || site_should_be_reached(c->site))
        reach(c->site, info.id);
    bool enters = is_timed(info), entered = enters && enter_now(c->function, c->call_site, c->sp, m.h);
    unmask(&m);
    c->answer = enters && !entered;
}

bool first_enter(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp)
{
    if (!is_measured(sp)) {
        if (thread_is_closed())
            count_unmeasured(function, NULL, false);
        return false;
    }
    if (function_is_known(function) && (site_is_reached(site) || !site_should_be_reached(site))) {
        struct function_info info = function_find(function);
        if (!config.counts || info.skipped || counts_add(info.id)) {
            if (site_is_reached(site) && !sites_reach(site, info.id))
                own_stack_run(settle_called, NULL);
            return is_timed(info);
        }
    }
    struct first_call call = {.function = function, .call_site = call_site, .sp = sp, .site = site};
    own_stack_run(first_enter_called, &call);
    return call.answer;
}

static void first_exit_called(void *any)
{
    struct first_call *c = any;
    struct masked m;
    mask(&m);
    struct function_info info = function_find(c->function);
    reach(c->site, info.id);
    unmask(&m);
    c->answer = is_timed(info);
}

/* An exit without its enter is none of ours. */
bool first_exit(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp)
{
    (void)call_site;
    (void)sp;
    const struct hot *h = hot_thread;
    if (h->self != h || h->park == PARK_CLOSED)
        return h->self != h; /* it may have been entered before a fork */
    if (function_is_known(function) && is_timed(function_find(function)) && !site_should_be_reached(site))
        return true;
    struct first_call call = {.function = function, .site = site};
    own_stack_run(first_exit_called, &call);
    return call.answer;
}

uint64_t first_sled(struct site *site, uint64_t call_site, uint64_t sp)
{
    uint64_t function = sites_function(site);
    return first_enter(function, call_site, site, sp) ? function : 0;
}

struct counted_call {
    uint64_t function;
    const char *region;
    bool timed;
};

static void count_called(void *any)
{
    struct counted_call *c = any;
    struct masked m;
    mask(&m);
    struct function_info info = c->region ? function_find_region(c->region) : function_find(c->function);
    if (!info.skipped)
        count(info.id);
    unmask(&m);
    c->timed = is_timed(info);
}

static bool count_call(uint64_t function, const char *region)
{
    if (function_is_known(function)) {
        struct function_info info = function_find(function);
        if (info.skipped || counts_add(info.id))
            return is_timed(info);
    }
    struct counted_call call = {.function = function, .region = region};
    own_stack_run(count_called, &call);
    return call.timed;
}

bool count_hook(uint64_t function)
{
    return count_call(function, NULL);
}

bool count_region(const char *name)
{
    return count_call((uint64_t)(uintptr_t)name, name);
}
