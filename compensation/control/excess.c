#include "compensation/control/excess.h"

bool pcomp_excess_note(struct pcomp_excess *e, uint64_t now, uint64_t passed, bool over)
{
    bool was_over = e->since;
    if (was_over) {
        uint64_t lasted = now > e->since ? now - e->since : 0;
        e->ticks += passed < lasted ? passed : lasted;
        if (lasted > e->longest) {
            e->longest = lasted;
            e->longest_cause = e->cause;
        }
    }
    if (!over)
        e->since = 0;
    if (!over || was_over)
        return false;
    e->count++;
    e->since = now ? now : 1;
    return true;
}

void pcomp_excess_because(struct pcomp_excess *e, uint32_t cause)
{
    e->cause = cause;
    if (!e->longest_cause) /* none has ended yet */
        e->longest_cause = cause;
}
