/* What an event costs among the work of a program. */
#include "compensation/estimate/event_price.h"

#include <criterion/criterion.h>
#include <math.h>

#define NS 1e-9

static struct pcomp_event_price_sources sources;

static void init(void)
{
    sources = (struct pcomp_event_price_sources){.loop = 10 * NS, .seconds = 1e-3, .events = 1e6};
}

TestSuite(event_price, .init = init);

Test(event_price, is_the_loops_where_nothing_tells)
{
    struct pcomp_event_price_sources without[] = {sources, sources, sources};
    without[0].loop = 0;
    without[1].seconds = 0;
    without[2].events = 0;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        struct pcomp_event_price p = pcomp_event_price(&without[i]);
        cr_expect(p.more == 0 && p.error == 0, "%zu", i);
    }
}

Test(event_price, many_hits_are_the_price)
{
    sources.events = 1e9;
    sources.hits = 80000; /* 80 s in 10^9 events */
    struct pcomp_event_price p = pcomp_event_price(&sources);
    cr_expect_float_eq(p.more, 70 * NS, 0.1 * NS);
    cr_expect_float_eq(p.error, PCOMP_EVENT_PRICE_ERROR * 80 * NS, 0.1 * NS);
}

Test(event_price, hits_that_do_not_come_lower_it)
{
    double before = pcomp_event_price(&sources).more;
    cr_expect_lt(before, 0);
    sources.events *= 2;
    cr_expect_lt(pcomp_event_price(&sources).more, before);
    cr_expect_gt(pcomp_event_price(&sources).more, -sources.loop);
}

/* As many as the loop predicts change nothing, and narrow it. */
Test(event_price, hits_as_the_loop_predicts_confirm_it)
{
    double last = INFINITY;
    for (double events = 1e5; events < 1e8; events *= 10) {
        sources.events = events;
        sources.hits = events * sources.loop / sources.seconds;
        struct pcomp_event_price p = pcomp_event_price(&sources);
        cr_expect_float_eq(p.more, 0, 1e-6 * NS);
        cr_expect_lt(p.error, last);
        last = p.error;
    }
}
