#include "profiler/hooks/call_counts.h"

#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/code/sites/sites.h"

void count_one(uint32_t id)
{
    bool late = id == PCOMP_FUNCTION_BEYOND && run_is_closed(); /* no function gets a record any more */
    if (late || (!counts_add(id) && (!counts_make_room(id + 1) || !counts_add(id))))
        run_count_lost();
}

bool function_is_timed(struct function_info info)
{
    return !info.skipped && (!config.in_place || sites_level(info.id) == SITE_TIMED);
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
        count_one(info.id);
    unmask(&m);
    c->timed = function_is_timed(info);
}

static bool count_call(uint64_t function, const char *region)
{
    if (function_is_known(function)) {
        struct function_info info = function_find(function);
        if (info.skipped || counts_add(info.id))
            return function_is_timed(info);
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

void count_unmeasured(uint64_t function, const char *region, bool counted)
{
    uint64_t key = region ? (uint64_t)(uintptr_t)region : function;
    if (!config.counts || run_is_closed() ||
        (thread_is_over && !function_is_known(key))) /* that takes a stack, for good */
        run_count_lost();
    else if (!counted)
        count_call(function, region);
}
