#include "reporters/report/next_step.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"

#include <stdio.h>
#include <string.h>

#define SHORT_NS      10e6 /* of all threads, measured: start-up and first calls are much of it */
#define HIGH_DILATION 1.5  /* dilation from which leaving functions out is worth a look */
#define MUCH_WAITS    0.3  /* of the time of all threads */

/* The directory as an operand, with the space before it; "" where it is the default. */
static const char *operand_of(const char *dir, char *buffer, size_t size)
{
    *buffer = 0;
    if (strcmp(dir, DEFAULT_DATA_DIR) != 0)
        snprintf(buffer, size, " %s", dir);
    return buffer;
}

void report_next_step(struct emitter *emitter, const struct call_tree *tree, const char *dir, bool flat)
{
    const struct tree_totals *all = &tree->total_all_threads;
    char operand[600], time[TEXT_NUMBER];
    operand_of(dir, operand, sizeof operand);
    if (tree->how.replayed)
        emitter_last(emitter, "next: pcomp report --view waiting%s (who waits for whom)", operand);
    else if (!(all->raw > 0) && !all->calls)
        emitter_last(emitter, "next: pcomp info%s (what was left out, and why)", operand);
    else if (all->raw < SHORT_NS)
        emitter_last(emitter,
                     "next: give the program more to do; %s is so short that start-up and first calls are much of it",
                     text_time(time, all->raw));
    else if (all->compensated > 0 && all->raw > HIGH_DILATION * all->compensated)
        emitter_last(emitter, "next: pcomp advise %s (what to leave out of the measurement)", dir);
    else if (tree->knows_waiting && tree->thread_count > 1 && all->waiting > MUCH_WAITS * all->compensated)
        emitter_last(emitter, "next: pcomp record --trace, and pcomp replay (who waits for whom)");
    else if (flat)
        emitter_last(emitter, "next: pcomp report --view tree%s (on which call paths)", operand);
    else
        emitter_last(emitter, "next: pcomp compare%s (what the measurement had hidden)", operand);
}
