/* Compiled without vector registers. */
#include "profiler/control/levels.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/callstack.h"
#include "profiler/record/frames.h"

bool callstack_enter_known(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h)
{
    (void)site;
    (void)unused;
    uint64_t pos = thread_pos_below(h);
    struct pcomp_frame *top = thread_frame(h, pos);
    /* a dead frame has start = end, so that it ends here, too; one whose function fell is dead, and skipped */
    if (sp < h->low || sp > top->sp || pos >= h->limit || (top->start <= top->end && !frame_is_skipped(top)))
        return false;
    uint64_t now = clock_ticks();
    if (levels_are_due(h, now) || off_cpu_is_due(h, now))
        return false;
    struct pcomp_node *node = path_find(h, top->node, function);
    if (node)
        enter_looked_up(h, timed_above(top), function, sp, node);
    return node != NULL;
}
