#include "reporters/call_prices.h"

#include "reporters/calibrate_run.h"
#include "reporters/call_tree.h"
#include "reporters/library_path.h"
#include "reporters/message.h"
#include "reporters/scratch_dir.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the library (profiler/sampling.h, profiler/bursts.h). */
#define STAMPED_EVENTS 16.0
#define BLIND_EVENTS   8000.0
#define BURST_NS       0.5e6
#define BURST_GAP_NS   25.5e6

static double fixed_ns(const struct pcomp_header *header, int64_t value)
{
    return (double)value / (1 << PCOMP_FIX_SHIFT) / header->tick_hz * 1e9;
}

void call_prices_fixed(struct pcomp_call_prices *prices)
{
    prices->sampled = STAMPED_EVENTS / (STAMPED_EVENTS + BLIND_EVENTS);
    prices->burst = BURST_NS;
    prices->gap = BURST_GAP_NS;
}

/* From the function of the helper all calls of which are stamped. */
static double stamped_call(const char *scratch, size_t number)
{
    struct call_tree_options options = {.rank = -1, .model = -1, .want_costs = true};
    char dir[4200], error[1024];
    double price = NAN, most = 0;
    snprintf(dir, sizeof dir, "%s/%zu", scratch, number);
    struct call_tree *tree = call_tree_load(dir, &options, error, sizeof error);
    for (size_t i = 0; tree && i < tree->cost_count; i++) {
        const struct tree_cost *row = &tree->costs[i];
        if (row->stamped < row->events || !(row->stamped > most))
            continue;
        most = row->stamped;
        price = 2 * row->cost.of[PCOMP_COST_TIMING] / row->stamped;
    }
    call_tree_free(tree);
    return price;
}

static void take_counted(struct pcomp_call_prices *prices, const struct pcomp_header *header)
{
    const struct pcomp_delta *delta = header->delta_start;
    prices->counted = fixed_ns(header, delta[PCOMP_VARIANT_REPEAT].descendant + delta[PCOMP_VARIANT_BARE].descendant);
    prices->filtered = fixed_ns(header, delta[PCOMP_VARIANT_SKIP].descendant);
    prices->off = fixed_ns(header, header->off_call);
}

bool call_prices_measure(enum pcomp_predicted_mode mode, struct pcomp_call_prices *prices, double *once)
{
    static const char *const options[] = {[PCOMP_PREDICT_EXACT] = "--mode exact",
                                          [PCOMP_PREDICT_FULL] = "--mode full",
                                          [PCOMP_PREDICT_BURST] = "--mode burst",
                                          [PCOMP_PREDICT_TRACE] = "--trace"};
    struct pcomp_header header;
    char *helper = helper_path_find(), *scratch = scratch_dir_make();
    bool good = helper && scratch;
    if (!helper)
        message_failure("predict: calibrate-helper: is not where pcomp was installed (install pcomp again)");
    else if (!scratch)
        message_failure("predict: temporary directory: %s (set TMPDIR)", strerror(errno));
    *prices = (struct pcomp_call_prices){0};
    call_prices_fixed(prices);
    good = good && calibrate_helper_run("predict", helper, scratch, options[mode], 0, &header);
    if (good) {
        const struct pcomp_delta *delta = header.delta_start;
        *once = (double)header.startup_ns + (double)header.closing_ns;
        take_counted(prices, &header);
        /* most calls of real programs find their node by a look-up (docs/hot-path.md) */
        prices->timed = fixed_ns(&header, delta[PCOMP_VARIANT_LOOKUP].descendant);
        prices->recorded = fixed_ns(&header, delta[PCOMP_VARIANT_REPEAT].descendant);
        if (mode == PCOMP_PREDICT_TRACE)
            prices->filtered = prices->recorded; /* not calibrated: at most as much */
        if (mode == PCOMP_PREDICT_BURST)         /* its own run is nearly all off */
            good = calibrate_helper_run("predict", helper, scratch, options[PCOMP_PREDICT_EXACT], 1, &header);
        if (mode == PCOMP_PREDICT_EXACT || mode == PCOMP_PREDICT_BURST)
            prices->stamped = stamped_call(scratch, mode == PCOMP_PREDICT_BURST);
        if (isnan(prices->stamped))
            prices->stamped = 4 * fixed_ns(&header, header.stamp);
    }
    scratch_dir_remove(scratch);
    free(helper);
    return good;
}
