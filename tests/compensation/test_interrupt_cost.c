/* What an interrupt costs is found in the pauses of a loop, whoever else takes its processor meanwhile. */
#include "compensation/estimate/interrupt_cost.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define STEP 1.5e-6

struct machine {
    double interrupt; /* seconds of the pause; 0: no interrupts */
    double run, gap;  /* mean seconds, between and of the times that another has the processor; gap 0: never */
    bool stolen;      /* by the hypervisor: the time to the next interrupt goes on */
    uint64_t seed;
    double period; /* of interrupts; 0: PCOMP_INTERRUPT_PERIOD */
    double next_interrupt, next_gap;
};

static double exponential(uint64_t *seed, double mean)
{
    return -mean * log((double)(1 + prng_below(seed, 1 << 30)) / (1 << 30));
}

/* Of a step; whether an interrupt came in it. */
static double passed(struct machine *m, bool *interrupt)
{
    double took = STEP;
    m->next_interrupt -= STEP;
    m->next_gap -= STEP;
    if (m->gap > 0 && m->next_gap <= 0) {
        double gap = exponential(&m->seed, m->gap);
        took += gap;
        m->next_interrupt -= m->stolen ? gap : 0;
        m->next_gap = exponential(&m->seed, m->run);
    }
    *interrupt = m->interrupt > 0 && m->next_interrupt <= 0;
    if (*interrupt) { /* late ones come as one, but for the one that falls due meanwhile */
        took += m->interrupt * (m->interrupt > m->period ? 2 : 1);
        m->next_interrupt = m->period - fmod(-m->next_interrupt + m->interrupt, m->period);
    }
    return took;
}

static double cost(struct machine m)
{
    m.period = m.period > 0 ? m.period : PCOMP_INTERRUPT_PERIOD;
    struct pcomp_interrupt_pauses pauses = {.period = m.period};
    m.next_interrupt = m.period;
    m.next_gap = exponential(&m.seed, m.run);
    bool interrupt;
    double took;
    do
        took = passed(&m, &interrupt);
    while (pcomp_interrupt_pauses_add(&pauses, took, STEP, interrupt));
    return pcomp_interrupt_cost(&pauses);
}

Test(interrupt_cost, is_the_pause_where_nothing_else_comes)
{
    for (double interrupt = 1e-6; interrupt < 40e-6; interrupt *= 1.3)
        cr_assert_float_eq(cost((struct machine){.interrupt = interrupt}), interrupt, 1e-9, "%g", interrupt);
}

Test(interrupt_cost, is_measured_again_where_interrupts_follow_each_other_at_once)
{
    unsigned again = 0;
    for (double interrupt = 1e-6; interrupt < 180e-6; interrupt *= 1.1) {
        struct machine m = {.interrupt = interrupt, .period = PCOMP_INTERRUPT_PERIOD};
        double c = cost(m);
        while ((m.period = pcomp_interrupt_next_period(m.period, c)) > 0 && ++again)
            c = cost(m);
        cr_assert_float_eq(c, interrupt, 1e-9, "%g", interrupt);
    }
    cr_assert_gt(again, 5);
}

Test(interrupt_cost, is_nothing_where_no_interrupts_come)
{
    cr_assert_eq(cost((struct machine){.interrupt = 0}), 0);
    for (uint64_t seed = 0; seed < 1000; seed++)
        cr_assert_eq(cost((struct machine){.run = 2e-3, .gap = 100e-6, .seed = seed}), 0, "seed %d", (int)seed);
}

/* Where the hypervisor stole the processor, an interrupt may come in the same step. */
Test(interrupt_cost, is_found_between_gaps)
{
    for (int stolen = 0; stolen < 2; stolen++) {
        unsigned near = 0;
        for (uint64_t seed = 0; seed < 10000; seed++) {
            struct machine m = {.interrupt = 5e-6, .stolen = stolen, .seed = seed * 2654435761u};
            m.run = 20e-6 + exponential(&m.seed, 100e-6);
            m.gap = 10e-6 + exponential(&m.seed, 100e-6);
            double c = cost(m);
            cr_assert(c >= 4.9e-6 && c <= 2.5 * PCOMP_INTERRUPT_MAX, "stolen %d, seed %d: %g", stolen, (int)seed, c);
            near += c < 2.6 * m.interrupt;
        }
        cr_assert_geq(near, 9500, "stolen %d: %u", stolen, near);
    }
}

Test(interrupt_cost, a_gap_is_not_what_is_behind_a_interrupt)
{
    unsigned near = 0;
    for (uint64_t seed = 0; seed < 1000; seed++)
        near += cost((struct machine){.interrupt = 5e-6, .run = 300e-6, .gap = 100e-6, .seed = seed}) < 10e-6;
    cr_assert_geq(near, 900, "%u", near);
}

Test(interrupt_cost, is_not_known_where_others_have_the_processor)
{
    cr_assert_eq(cost((struct machine){.interrupt = 5e-6, .run = 2e-6, .gap = 100, .seed = 1}), PCOMP_INTERRUPT_MAX);
}

/* As where the kernel throttles them. */
Test(interrupt_cost, few_interrupts_tell_it_where_no_more_come)
{
    struct pcomp_interrupt_pauses pauses = {.period = PCOMP_INTERRUPT_PERIOD};
    unsigned steps = 0;
    while (pcomp_interrupt_pauses_add(&pauses, steps % 500 ? STEP : STEP + 5e-6, STEP, steps % 500 == 0))
        steps++;
    cr_assert_lt(pauses.interrupts, PCOMP_INTERRUPTS);
    cr_assert_float_eq(pcomp_interrupt_cost(&pauses), 5e-6, 1e-9);
}
