/* Compiled without vector registers, for first_sled_again. */
#include "profiler/hooks/first_calls.h"

#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_state.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/call_counts.h"
#include "profiler/hooks/callstack.h"
#include "profiler/record/frames.h"

/* Signals blocked. */
static void reach(struct site *site, uint32_t id)
{
    if (!sites_reach(site, id))
        levels_resolve();
}

static bool is_measured(uint64_t sp)
{
    struct thread_state *h = current_thread;
    return h->self == h ? h->recording != RECORDING_CLOSED : run_attach(sp) != NULL;
}

/* Enters the function, where every call is timed: its path is new as a rule, and signals are blocked already. */
static bool enter_now(uint64_t function, uint64_t call_site, uint64_t sp, struct thread_state *h)
{
    if (h->recording != RECORDING_FAST || h->pos < NO_FRAMES_SIZE || config.trace)
        return false;
    thread_publish(&h->pos, sizeof(struct timed_frame));
    callstack_enter_counted(function, call_site, sp, 0, h);
    return true;
}

struct first_call {
    uint64_t function, call_site, sp;
    struct site *site;
    bool answer;
};

/* Reaching a site is overhead, where no call that is timed begins there. */
static void charge(struct thread_state *h, uint64_t since)
{
    if (h->self == h && h->recording == RECORDING_FAST)
        off_cpu_charge_since(h, NULL, since);
}

static void resolve_called(void *unused)
{
    struct masked m;
    (void)unused;
    mask(&m);
    levels_resolve();
    charge(m.h, m.begin);
    unmask(&m);
}

/* A call of a site that waits to be resolved. */
static void reach_again(struct site *site, uint32_t id)
{
    if (site_is_reached(site) && !sites_reach(site, id))
        own_stack_run(resolve_called, NULL);
}

static void first_enter_called(void *any)
{
    struct first_call *c = any;
    struct masked m;
    mask(&m);
    struct function_info info = function_find(c->function);
    if (config.in_place && !info.skipped)
        count_one(info.id);
    if (info.skipped || site_should_be_reached(c->site))
        reach(c->site, info.id);
    bool enters = function_is_timed(info), entered = enters && enter_now(c->function, c->call_site, c->sp, m.h);
    if (!enters)
        charge(m.h, m.begin);
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
        if (!config.in_place || info.skipped || counts_add(info.id)) {
            reach_again(site, info.id);
            return function_is_timed(info);
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
    charge(m.h, m.begin);
    unmask(&m);
    c->answer = function_is_timed(info);
}

/* An exit without its enter is none of ours. */
bool first_exit(uint64_t function, uint64_t call_site, struct site *site, uint64_t sp)
{
    (void)call_site;
    (void)sp;
    const struct thread_state *h = current_thread;
    if (h->self != h || h->recording == RECORDING_CLOSED)
        return h->self != h; /* it may have been entered before a fork */
    if (function_is_known(function) && (site_is_reached(site) || !site_should_be_reached(site))) {
        struct function_info info = function_find(function);
        reach_again(site, info.id);
        return function_is_timed(info);
    }
    struct first_call call = {.function = function, .site = site};
    own_stack_run(first_exit_called, &call);
    return call.answer;
}

uint64_t first_sled(struct site *site, uint64_t call_site, uint64_t sp)
{
    uint64_t function = sites_function(site);
    return first_enter(function, call_site, site, sp) ? function : 0;
}

/* A site that is due is left to first_sled: it waits too long to be resolved, or has been called often enough. */
uint64_t first_sled_again(struct site *site)
{
    const struct thread_state *h = current_thread;
    uint64_t function = sites_function(site);
    uint32_t id = function_known_id(function);
    if (h->self != h || h->recording == RECORDING_CLOSED || id == PCOMP_FUNCTION_ROOT || config.pattern_count)
        return FIRST_SLED_UNKNOWN;
    if (site_is_reached(site) ? !sites_reach(site, id) : site_should_be_reached(site))
        return FIRST_SLED_UNKNOWN;
    if (config.in_place && !counts_add(id))
        return FIRST_SLED_UNKNOWN;
    return function_is_timed((struct function_info){id, false}) ? function : 0;
}
