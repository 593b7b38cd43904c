#include "reporters/calibrate/call_prices.h"

#include "compensation/control/level_machine.h"
#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/calibrate/calibrate_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double fixed_ns(const struct pcomp_header *header, int64_t value)
{
    return (double)value / (1 << PCOMP_FIX_SHIFT) / header->tick_hz * 1e9;
}

bool call_prices_measure(enum pcomp_predicted_mode mode, struct pcomp_call_prices *prices, double *once)
{
    static const char *const options[] = {
        [PCOMP_PREDICT_AUTO] = "--mode auto", [PCOMP_PREDICT_FULL] = "--mode full", [PCOMP_PREDICT_TRACE] = "--trace"};
    struct pcomp_header header;
    char *helper = helper_path_find(), *scratch = scratch_dir_make();
    bool good = helper && scratch;
    if (!helper)
        message_failure("predict: calibrate-helper: is not where pcomp was installed (install pcomp again)");
    else if (!scratch)
        message_failure("predict: temporary directory: %s (set TMPDIR)", strerror(errno));
    *prices = mode == PCOMP_PREDICT_TRACE
                  ? (struct pcomp_call_prices){.allowance = PCOMP_LEVEL_TRACE_BURST,
                                               .rate = PCOMP_LEVEL_TRACE_RATE,
                                               .start = PCOMP_LEVEL_START * 1e9,
                                               .share = PCOMP_LEVEL_SHARE}
                  : (struct pcomp_call_prices){.allowance = PCOMP_LEVEL_BURST, .rate = PCOMP_LEVEL_RATE};
    good = good && calibrate_helper_run("predict", helper, scratch, options[mode], 0, &header);
    if (good) {
        const struct pcomp_delta *delta = header.delta_start;
        *once = (double)header.startup_ns + (double)header.closing_ns;
        /* most calls of real programs find their node by a look-up (docs/internals/hot-path.md) */
        prices->timed = fixed_ns(&header, delta[PCOMP_VARIANT_LOOKUP].descendant);
        prices->recorded = fixed_ns(&header, delta[PCOMP_VARIANT_REPEAT].descendant);
        prices->counted = header.count_cost > 0 ? fixed_ns(&header, header.count_cost) : prices->timed;
        /* of a trace not calibrated: at most as much */
        prices->filtered =
            mode == PCOMP_PREDICT_TRACE ? prices->recorded : fixed_ns(&header, delta[PCOMP_VARIANT_SKIP].descendant);
    }
    scratch_dir_remove(scratch);
    free(helper);
    return good;
}
