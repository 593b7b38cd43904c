/* What a beat costs is found in the pauses of a loop, whoever else takes its processor meanwhile. */
#include "compensation/estimate/beat_cost.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define STEP 1.5e-6

struct machine {
    double beat;     /* seconds of the pause; 0: no beats */
    double run, gap; /* mean seconds, between and of the times that another has the processor; gap 0: never */
    bool stolen;     /* by the hypervisor: the time to the next beat goes on */
    uint64_t seed;
    double period; /* of beats; 0: PCOMP_BEAT_PERIOD */
    double next_beat, next_gap;
};

static double exponential(uint64_t *seed, double mean)
{
    return -mean * log((double)(1 + prng_below(seed, 1 << 30)) / (1 << 30));
}

/* Of a step; whether a beat came in it. */
static double passed(struct machine *m, bool *beat)
{
    double took = STEP;
    m->next_beat -= STEP;
    m->next_gap -= STEP;
    if (m->gap > 0 && m->next_gap <= 0) {
        double gap = exponential(&m->seed, m->gap);
        took += gap;
        m->next_beat -= m->stolen ? gap : 0;
        m->next_gap = exponential(&m->seed, m->run);
    }
    *beat = m->beat > 0 && m->next_beat <= 0;
    if (*beat) { /* late ones come as one, but for the one that falls due meanwhile */
        took += m->beat * (m->beat > m->period ? 2 : 1);
        m->next_beat = m->period - fmod(-m->next_beat + m->beat, m->period);
    }
    return took;
}

static double cost(struct machine m)
{
    m.period = m.period > 0 ? m.period : PCOMP_BEAT_PERIOD;
    struct pcomp_beat_pauses pauses = {.period = m.period};
    m.next_beat = m.period;
    m.next_gap = exponential(&m.seed, m.run);
    bool beat;
    double took;
    do
        took = passed(&m, &beat);
    while (pcomp_beat_pauses_add(&pauses, took, STEP, beat));
    return pcomp_beat_cost(&pauses);
}

Test(beat_cost, is_the_pause_where_nothing_else_comes)
{
    for (double beat = 1e-6; beat < 40e-6; beat *= 1.3)
        cr_assert_float_eq(cost((struct machine){.beat = beat}), beat, 1e-9, "%g", beat);
}

Test(beat_cost, is_measured_again_where_beats_follow_each_other_at_once)
{
    unsigned again = 0;
    for (double beat = 1e-6; beat < 180e-6; beat *= 1.1) {
        struct machine m = {.beat = beat, .period = PCOMP_BEAT_PERIOD};
        double c = cost(m);
        while ((m.period = pcomp_beat_next_period(m.period, c)) > 0 && ++again)
            c = cost(m);
        cr_assert_float_eq(c, beat, 1e-9, "%g", beat);
    }
    cr_assert_gt(again, 5);
}

Test(beat_cost, is_nothing_where_no_beats_come)
{
    cr_assert_eq(cost((struct machine){.beat = 0}), 0);
    for (uint64_t seed = 0; seed < 1000; seed++)
        cr_assert_eq(cost((struct machine){.run = 2e-3, .gap = 100e-6, .seed = seed}), 0, "seed %d", (int)seed);
}

/* Where the hypervisor stole the processor, a beat may come in the same step. */
Test(beat_cost, is_found_between_gaps)
{
    for (int stolen = 0; stolen < 2; stolen++) {
        unsigned near = 0;
        for (uint64_t seed = 0; seed < 10000; seed++) {
            struct machine m = {.beat = 5e-6, .stolen = stolen, .seed = seed * 2654435761u};
            m.run = 20e-6 + exponential(&m.seed, 100e-6);
            m.gap = 10e-6 + exponential(&m.seed, 100e-6);
            double c = cost(m);
            cr_assert(c >= 4.9e-6 && c <= 2.5 * PCOMP_BEAT_MAX, "stolen %d, seed %d: %g", stolen, (int)seed, c);
            near += c < 2.6 * m.beat;
        }
        cr_assert_geq(near, 9500, "stolen %d: %u", stolen, near);
    }
}

Test(beat_cost, a_gap_is_not_what_is_behind_a_beat)
{
    unsigned near = 0;
    for (uint64_t seed = 0; seed < 1000; seed++)
        near += cost((struct machine){.beat = 5e-6, .run = 300e-6, .gap = 100e-6, .seed = seed}) < 10e-6;
    cr_assert_geq(near, 900, "%u", near);
}

Test(beat_cost, is_not_known_where_others_have_the_processor)
{
    cr_assert_eq(cost((struct machine){.beat = 5e-6, .run = 2e-6, .gap = 100, .seed = 1}), PCOMP_BEAT_MAX);
}

/* As where the kernel throttles them. */
Test(beat_cost, few_beats_tell_it_where_no_more_come)
{
    struct pcomp_beat_pauses pauses = {.period = PCOMP_BEAT_PERIOD};
    unsigned steps = 0;
    while (pcomp_beat_pauses_add(&pauses, steps % 500 ? STEP : STEP + 5e-6, STEP, steps % 500 == 0))
        steps++;
    cr_assert_lt(pauses.beats, PCOMP_BEATS);
    cr_assert_float_eq(pcomp_beat_cost(&pauses), 5e-6, 1e-9);
}
