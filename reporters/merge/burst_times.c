/* Of every call path, the time that bursts stand for, as the measured process shared it out (struct pcomp_node_burst),
 * and how much it differs from burst to burst. */
#include "reporters/merge/sampled_state.h"

#include <math.h>

void burst_times_prepare(struct sampling *s)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        const struct pcomp_thread *record = s->file->threads[t].record;
        bool sound = isfinite(record->stands) && isfinite(record->stands_squares) && record->stands > 0;
        s->threads[t].stands = sound && record->burst_count ? record->stands : 0;
        s->threads[t].squares = sound && record->stands_squares > 0 ? record->stands_squares : 0;
    }
}

static double sound(double value, double most)
{
    return value > 0 ? fmin(value, most) : 0; /* of a damaged file */
}

/* Of the sum over bursts, and of the mean that stands for the segments that were only counted. */
static double deviation(double time, double changes, double last, const struct pcomp_kind_time *kind)
{
    double predicted = kind->always + kind->others * (kind->brief + kind->rest);
    double of_mean = predicted > 0 && kind->untimed > 0 ? fmin(kind->variance / square(predicted), 1) : 0;
    return sqrt(pcomp_burst_sum_variance(changes + square(last)) + of_mean * square(time));
}

/* What no burst met may have been in one of the gaps, but for what is known not to have been called. */
static double unseen(const struct sampling *s, const struct path *p)
{
    const struct thread_state *thread = &s->threads[p->thread];
    bool called = p->run.calls > 0 || !burst_calls_are_counted(s, p);
    return called ? thread->stands / (double)s->file->threads[p->thread].record->burst_count : 0;
}

void burst_times_find(const struct sampling *s, struct path *p, const struct pcomp_kind_time *enter,
                      const struct pcomp_kind_time *exit)
{
    const struct pcomp_node_burst *b = profile_node_burst(p->extra);
    const struct thread_state *thread = &s->threads[p->thread];
    if (!(thread->stands > 0)) /* it went on as it was before */
        return;
    p->enter_time = sound(b->enter_time, thread->stands);
    p->exit_time = sound(b->exit_time, thread->stands);
    p->deviation.enter = deviation(p->enter_time, sound(b->enter_changes, 2 * thread->squares),
                                   sound(b->last_enter, thread->stands), enter);
    p->deviation.exit =
        deviation(p->exit_time, sound(b->exit_changes, 2 * thread->squares), sound(b->last_exit, thread->stands), exit);
    if (!(p->enter_time > 0) && !(p->exit_time > 0))
        p->deviation.enter = unseen(s, p);
}

static double variance(const struct sampling *s, const struct path *p, double time, double deviation)
{
    const struct thread_state *thread = &s->threads[p->thread];
    return fmin(square(deviation), pcomp_burst_part_variance(time, thread->stands, thread->squares));
}

double burst_times_inclusive_variance(const struct sampling *s, const struct path *p)
{
    return variance(s, p, p->inclusive, p->deviation.inclusive);
}

double burst_times_exclusive_variance(const struct sampling *s, const struct path *p)
{
    return variance(s, p, p->exclusive, p->deviation.exclusive);
}
