/* The estimator for exact counts and sampled times: its laws, its rules worked by hand, and whether its interval covers
 * the truth of simulated threads. */
#include "compensation/in_situ.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define PATHS   6
#define REGIONS 2

static const struct pcomp_kind nothing;
static const struct pcomp_counting counting = {.call = 20, .spread = 0.5, .stamp = 36}; /* blur 6 */
#define BLUR 6

static void assert_near(double value, double expected)
{
    cr_assert(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)), "%.17g, expected %.17g", value, expected);
}

static struct pcomp_kind kind(double occurrences, double always_ticks, double always, double ticks, double sampled)
{
    return (struct pcomp_kind){occurrences, {always_ticks, always}, {ticks, sampled}};
}

/* What a kind is taken to last, for a mean of what its segments seemed to last. */
static double softened(double mean)
{
    double length = mean - counting.stamp;
    return (length + sqrt(length * length + BLUR * BLUR)) / 2;
}

static void assert_length(const struct pcomp_kind_time *kind, double mean)
{
    assert_near(kind->brief + kind->rest, softened(mean));
    assert_near(kind->brief, fmin(softened(mean), BLUR));
}

Test(in_situ, the_untimed_take_the_mean_of_the_sampled)
{
    struct pcomp_kind k = kind(1000, 700, 10, 1600, 20);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 4, &counting);
    assert_near(e.count, 1000);
    assert_near(e.raw, 2300);
    assert_near(e.always, 700 - 10 * counting.stamp);
    assert_near(e.others, 990);
    assert_near(e.untimed, 970);
    assert_length(&e, 80);
    assert_near(e.variance, 970 * 4 * (970 / 20.0 + 1));
}

Test(in_situ, too_few_samples_are_joined_by_those_always_timed)
{
    struct pcomp_kind k = kind(100, 1300, 10, 700, 7);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 4, &counting);
    assert_length(&e, 2000 / 17.0);
}

Test(in_situ, a_kind_without_times_borrows)
{
    struct pcomp_kind k = kind(100, 0, 0, 0, 0), other = kind(50, 0, 0, 600, 5);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &other, 99, NAN, &counting);
    assert_length(&e, 120);
    e = pcomp_kind_estimate(&k, &nothing, 99, NAN, &counting);
    assert_length(&e, 99);
    assert_near(e.variance, 9900.0 * 9900);
    e = pcomp_kind_estimate(&k, &nothing, 0, NAN, &counting);
    assert_length(&e, 0);
}

Test(in_situ, more_timed_than_occurred_leaves_none_untimed)
{
    struct pcomp_kind k = kind(5, 0, 0, 900, 9);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 4, &counting);
    assert_near(e.untimed, 0);
    assert_near(e.count, 9);
    assert_near(e.variance, 0);
}

Test(in_situ, variance_is_pooled_within_the_two_kinds)
{
    /* 1 3 and 10 14 18: squares within 2 and 32 */
    struct pcomp_kind enter = kind(9, 0, 0, 4, 2), exit = kind(9, 0, 0, 42, 3);
    assert_near(pcomp_segment_variance(&enter, &exit, 1 + 9 + 100 + 196 + 324), 34 / 3.0);
    cr_assert(isnan(pcomp_segment_variance(&enter, &nothing, 10)));
    cr_assert(isfinite(pcomp_segment_variance(&enter, &exit, NAN)));
    cr_assert(pcomp_segment_variance(&enter, &exit, -1) >= 0);
}

Test(in_situ, the_stamp_is_taken_from_what_is_timed_and_the_long_is_exact_to_the_blur)
{
    for (double duration = 1; duration < 1e6; duration *= 1.7) {
        struct pcomp_kind k = kind(1000, 0, 0, 100 * (duration + counting.stamp), 100);
        struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 0, &counting);
        double length = e.brief + e.rest;
        cr_assert(length > duration && length - duration <= BLUR * BLUR / (4 * duration) + 1e-9);
        cr_assert(length - duration < BLUR);
    }
}

static const struct pcomp_correction elsewhere = {0.25, 0.75};

static void assert_correction(struct pcomp_region region, double brief, double rest)
{
    struct pcomp_correction c = pcomp_correction_of(&region, 20, elsewhere);
    assert_near(c.brief, brief);
    assert_near(c.rest, rest);
}

static struct pcomp_region region(double ticks, double brief, double rest)
{
    return (struct pcomp_region){
        .counted_ticks = ticks, .counted_events = 3000, .untimed = 3500, .brief = brief, .rest = rest};
}

/* It waited once, in an interval of which nothing else is known. */
Test(in_situ, a_thread_has_no_time_but_its_own_however_little_was_counted)
{
    struct pcomp_region few = {.counted_ticks = 1e9, .counted_events = 20, .untimed = 20, .brief = 100, .rest = 5e9};
    struct pcomp_correction c = pcomp_correction_of_thread(&few, 20);
    assert_near(c.brief * few.brief + c.rest * few.rest, 1e9 - 200);
    few.brief = few.rest = 0;
    c = pcomp_correction_of_thread(&few, 20);
    assert_near(c.brief, 1);
    assert_near(c.rest, 1);
}

Test(in_situ, what_some_events_cost_more_is_taken_out_as_well)
{
    struct pcomp_region dear = region(100000, 5000, 20000), same = region(100000 - 7000, 5000, 20000);
    dear.dearer = 7000;
    struct pcomp_correction a = pcomp_correction_of(&dear, 20, elsewhere),
                            b = pcomp_correction_of(&same, 20, elsewhere);
    assert_near(a.brief, b.brief);
    assert_near(a.rest, b.rest);
}

Test(in_situ, a_call_costs_the_mean_of_what_was_measured_in_place)
{
    struct pcomp_in_place sums = {0};
    double spread = 14;
    for (int thread = 0; thread < 4; thread++) /* 90 and 110 by turns */
        pcomp_in_place_add(&sums, 25 * 200, 25 * (90.0 * 90 + 110 * 110), 50);
    assert_near(pcomp_in_place_mean(&sums, 70, &spread), 100);
    assert_near(spread, 10 / sqrt(200));
}

Test(in_situ, a_call_costs_what_was_measured_where_most_calls_were)
{
    struct pcomp_in_place sums = {
        .events = 50 * 3 + 50 * 1, .event_squares = 50 * 9 + 50 * 1, .event_cost = 50 * 3 * 90 + 50 * 1 * 110};
    double spread = 14, mean;
    pcomp_in_place_add(&sums, 50 * 200, 50 * (90.0 * 90 + 110 * 110), 100); /* 90 behind three calls, 110 behind one */
    mean = pcomp_in_place_mean(&sums, 70, &spread);
    assert_near(mean, 95);
    assert_near(spread, 10 * sqrt(500.0 / (200 * 200)));
    sums.event_squares = 200 * 200; /* one of them has nearly all */
    pcomp_in_place_mean(&sums, 70, &spread);
    assert_near(spread, 10);
    for (int i = 0; i < 4; i++) { /* of a damaged file */
        const double absurd[] = {-1, NAN, INFINITY, 1e300};
        struct pcomp_in_place damaged = sums;
        damaged.event_cost = absurd[i];
        assert_near(pcomp_in_place_mean(&damaged, 70, &spread), 100);
        damaged = sums;
        damaged.event_squares = absurd[i] < 0 ? 1e9 : absurd[i];
        assert_near(pcomp_in_place_mean(&damaged, 70, &spread), 100);
    }
}

Test(in_situ, a_call_is_known_the_better_the_denser_the_calls)
{
    double before = pcomp_in_place_context(0);
    cr_assert(before > 0);
    cr_assert_eq(pcomp_in_place_context(-3), before); /* more than the time there was is taken for calls */
    for (double work = 0.25; work < 1e6; work *= 2) {
        double now = pcomp_in_place_context(work);
        cr_assert(now >= before && now < 0.5, "%g at %g", now, work);
        before = now;
    }
    cr_assert(before > 2 * pcomp_in_place_context(0));
    assert_near(pcomp_in_place_context(1e300), before); /* of a damaged file */
    assert_near(pcomp_in_place_context(1e-300), pcomp_in_place_context(0));
}

Test(in_situ, a_call_costs_more_where_its_path_is_not_in_the_caches)
{
    assert_near(pcomp_fetching(1000 * 80, 1000, 100 * 48, 100), 20);
    assert_near(pcomp_fetching(1000 * 59, 1000, 100 * 48, 100), 0); /* a processor hides that much */
    assert_near(pcomp_fetching(1000 * 40, 1000, 100 * 48, 100), 0);
    assert_near(pcomp_fetching(10 * 500, 10, 100 * 48, 100), 0); /* too few to tell */
    assert_near(pcomp_fetching(1000 * 500, 1000, 10 * 48, 10), 0);
    assert_near(pcomp_fetching(NAN, 1000, 100 * 48, 100), 0); /* of a damaged file */
}

Test(in_situ, a_restless_machine_makes_times_less_certain)
{
    const double alike = 99 * 100.0 * 100, noisy = 99 * 90.0 * 110, /* each for itself */
        slow_then_fast = 49 * (90.0 * 90 + 110 * 110) + 90 * 110;
    assert_near(pcomp_unrest(99 * 100, alike, 99), 0);
    assert_near(pcomp_unrest(99 * 100, noisy, 99), 0);
    cr_assert(pcomp_unrest(99 * 100, slow_then_fast, 99) > 0.01);
    assert_near(pcomp_unrest(99 * 200, 4 * slow_then_fast, 99), pcomp_unrest(99 * 100, slow_then_fast, 99)); /* units */
    assert_near(pcomp_unrest(9 * 100, slow_then_fast, 9), 0);
    assert_near(pcomp_unrest(99 * 100, INFINITY, 99), 0);
    assert_near(pcomp_unrest(NAN, slow_then_fast, 99), 0);
    cr_assert(pcomp_unrest(1, 1e300, 99) < 3); /* of a damaged file */
}

Test(in_situ, too_few_or_absurd_measurements_in_place_leave_the_calibrated_cost)
{
    struct pcomp_in_place sums = {0};
    double spread = 14;
    pcomp_in_place_add(&sums, 1500, 150000, PCOMP_IN_PLACE_LEAST - 1);
    pcomp_in_place_add(&sums, 1e9, NAN, 1000);
    pcomp_in_place_add(&sums, 1e9, -1, 1000);
    assert_near(pcomp_in_place_mean(&sums, 70, &spread), 70);
    assert_near(spread, 14);
    pcomp_in_place_add(&sums, -1e6, 150000, 1000);
    assert_near(pcomp_in_place_mean(&sums, 70, &spread), 70);
}

Test(in_situ, the_brief_take_what_the_intervals_leave)
{
    /* counting took 30000 */
    assert_correction(region(80000, 20000, 40000), 0.5, 1);
    assert_correction(region(130000, 20000, 40000), 3, 1);
    assert_correction(region(40000, 0, 20000), 0, 0.5); /* no stamp is known, so nothing is brief */
    assert_correction(region(40000, 0, 5000), 0, 2);
}

Test(in_situ, the_brief_keep_half_of_their_proportion_where_the_rest_seems_to_be_all)
{
    assert_correction(region(50000, 20000, 40000), 0.5 * 20 / 60, (20.0 - 10.0 / 3) / 40);
    for (double ticks = 31000; ticks < 90000; ticks += 1000) {
        struct pcomp_region r = region(ticks, 20000, 40000);
        struct pcomp_correction c = pcomp_correction_of(&r, counting.call, elsewhere);
        assert_near(c.brief * 20000 + c.rest * 40000, ticks - 30000);
        cr_assert(c.brief >= 0.5 * (ticks - 30000) / 60000 - 1e-12 && c.rest <= 1 + 1e-12);
    }
}

Test(in_situ, segments_up_to_the_length_that_is_asked_for_are_brief)
{
    struct pcomp_kind k = kind(1000, 700, 10, 1600, 20);
    struct pcomp_counting longer = counting;
    longer.brief = 40;
    struct pcomp_kind_time usual = pcomp_kind_estimate(&k, &nothing, 99, 4, &counting),
                           e = pcomp_kind_estimate(&k, &nothing, 99, 4, &longer);
    assert_near(e.brief + e.rest, usual.brief + usual.rest);
    assert_near(e.brief, 40);
}

Test(in_situ, a_region_in_which_counting_took_all_has_no_time_and_not_less)
{
    assert_correction(region(30000, 20000, 40000), 0, 0);
    assert_correction(region(15000, 20000, 40000), 0, 0);
    assert_correction(region(15000, 20000, 0), 0, 0);
}

Test(in_situ, preemption_in_an_interval_is_not_the_time_of_the_brief)
{
    assert_correction(region(150000, 20000, 40000), 4, 1);
    assert_correction(region(270000, 20000, 40000), 8, 2);
}

Test(in_situ, where_too_little_was_counted_another_correction_serves)
{
    struct pcomp_region r = region(80000, 20000, 40000);
    r.counted_events = PCOMP_REGION_LEAST - 1;
    assert_correction(r, elsewhere.brief, elsewhere.rest);
    r = region(80000, 20000, 40000);
    r.untimed = PCOMP_REGION_LEAST - 1;
    assert_correction(r, elsewhere.brief, elsewhere.rest);
    assert_correction(region(80000, 0, 0), elsewhere.brief, elsewhere.rest);
}

Test(in_situ, a_whole_region_has_no_variance)
{
    struct pcomp_region r = region(80000, 20000, 40000);
    r.variance = 900;
    assert_near(pcomp_part_variance(20000, 900, &r), 0);
    assert_near(pcomp_part_variance(0, 400, &r), 400);
    assert_near(pcomp_part_variance(10000, 400, &r), (400 + 500) / 4.0);
    r.untimed = 1;
    assert_near(pcomp_part_variance(20000, 900, &r), 900);
}

Test(in_situ, absurd_arguments_stay_finite)
{
    static const double odd[] = {0, 1, 1e-300, 2000, 1.8e19}, number[] = {0, 1, 9, 2000, 1.8e19};
    const int n = sizeof odd / sizeof *odd;
    for (int i = 0; i < n * n * n * n * n; i++) {
        struct pcomp_counting c = {.call = odd[i % n], .stamp = odd[i / n / n % n]};
        struct pcomp_kind k =
            kind(1.8e19, odd[i / n % n], number[i % n], odd[i / n / n / n % n], number[i / n / n % n]);
        struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, odd[i % n], odd[i / n % n], &c);
        struct pcomp_region r = {.counted_ticks = odd[i / n / n / n / n % n], .counted_events = number[i / n % n]};
        pcomp_region_add(&r, &e);
        struct pcomp_correction by = pcomp_correction_of(&r, c.call, elsewhere);
        cr_assert(isfinite(pcomp_kind_compensated(&e, &by)), "%d", i);
        cr_assert(isfinite(pcomp_part_variance(e.untimed * e.brief, e.variance, &r)), "%d", i);
    }
}

/* --- Simulated threads ------------------------------------------------------------------------------------------- */

struct path {
    struct pcomp_kind kinds[2]; /* enter, exit */
    double mean[2], squares, truth[2];
};

struct thread {
    struct path paths[PATHS]; /* path p is in region p % REGIONS */
    struct pcomp_region sums, regions[REGIONS];
    double actual; /* of all segments */
    struct pcomp_timed sampled;
    double event; /* what counting one costs */
};

static double uniform(uint64_t *state)
{
    return (double)(prng_next(state) >> 11) / 9007199254740992.0;
}

static double exponential(uint64_t *state, double mean)
{
    return -mean * log(1 - uniform(state));
}

static void count(struct pcomp_region *sums, double ticks)
{
    sums->counted_ticks += ticks;
    sums->counted_events++;
}

/* A thread of `events` segments of random kinds that last `least` and more: the first 50 of a path always timed, then
 * random bursts of 32 among the others. `noise`: durations vary. `hidden`: what of a stamp hides among the work. */
static void simulate(struct thread *t, uint64_t seed, int events, double least, double more, bool noise, double hidden)
{
    uint64_t state = seed;
    *t = (struct thread){.event = 10};
    double weight[PATHS], total = 0;
    for (int p = 0; p < PATHS; p++) {
        total += weight[p] = exponential(&state, 1) + 0.05;
        for (int k = 0; k < 2; k++)
            t->paths[p].mean[k] = least + exponential(&state, more);
    }
    int gap = 0, burst = 0;
    for (int i = 0; i < events; i++) {
        double at = uniform(&state) * total;
        int p = 0, k = (int)prng_below(&state, 2);
        while (p < PATHS - 1 && at >= weight[p])
            at -= weight[p++];
        struct path *path = &t->paths[p];
        double duration = noise ? exponential(&state, path->mean[k]) : path->mean[k];
        double stamped = duration + counting.stamp - hidden;
        path->kinds[k].occurrences++;
        path->truth[k] += duration;
        t->actual += duration;
        if (!gap && !burst) {
            gap = (int)exponential(&state, 2000) + 1;
            burst = 32;
        }
        if (path->kinds[k].always.count < 50) {
            path->kinds[k].always.count++;
            path->kinds[k].always.ticks += stamped;
        } else if (gap) {
            gap--;
            count(&t->sums, duration + t->event);
            count(&t->regions[p % REGIONS], duration + t->event);
        } else {
            burst--;
            path->kinds[k].sampled.count++;
            path->kinds[k].sampled.ticks += stamped;
            path->squares += stamped * stamped;
            t->sampled.count++;
            t->sampled.ticks += stamped;
        }
    }
}

struct result {
    double call, kinds[PATHS][2], variance[PATHS][2], sum, untimed[REGIONS];
};

static struct result solve(struct thread *t)
{
    struct result r = {.sum = 0};
    struct pcomp_kind_time e[PATHS][2];
    double mean = t->sampled.count > 0 ? t->sampled.ticks / t->sampled.count : 0;
    for (int p = 0; p < PATHS; p++)
        for (int k = 0; k < 2; k++) {
            const struct path *path = &t->paths[p];
            double s2 = pcomp_segment_variance(&path->kinds[0], &path->kinds[1], path->squares);
            e[p][k] = pcomp_kind_estimate(&path->kinds[k], &path->kinds[!k], mean, s2, &counting);
            pcomp_region_add(&t->sums, &e[p][k]);
            pcomp_region_add(&t->regions[p % REGIONS], &e[p][k]);
        }
    struct pcomp_counting calibrated = {.call = 2 * t->event, .stamp = counting.stamp};
    r.call = calibrated.call;
    struct pcomp_correction whole = pcomp_correction_of_thread(&t->sums, r.call);
    for (int p = 0; p < PATHS; p++)
        for (int k = 0; k < 2; k++) {
            const struct pcomp_region *region = &t->regions[p % REGIONS];
            struct pcomp_correction c = pcomp_correction_of(region, r.call, whole);
            struct pcomp_kind_time untimed = {.others = e[p][k].untimed, .brief = e[p][k].brief, .rest = e[p][k].rest};
            r.kinds[p][k] = pcomp_kind_compensated(&e[p][k], &c);
            r.variance[p][k] = pcomp_part_variance(e[p][k].untimed * e[p][k].brief, e[p][k].variance, region);
            r.untimed[p % REGIONS] += pcomp_kind_compensated(&untimed, &c);
            r.sum += r.kinds[p][k];
        }
    return r;
}

Test(in_situ, without_noise_long_segments_are_exact_to_the_blur)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct thread t;
        simulate(&t, seed, 100000, 10 * BLUR, 400, false, 0);
        struct result r = solve(&t);
        for (int p = 0; p < PATHS; p++)
            for (int k = 0; k < 2; k++)
                cr_assert(fabs(r.kinds[p][k] - t.paths[p].truth[k]) <= 0.2 * BLUR * t.paths[p].kinds[k].occurrences);
    }
}

Test(in_situ, sums_are_conserved_by_region_and_by_thread)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct thread t;
        bool brief = seed % 2;
        simulate(&t, seed, 100000, 1, brief ? 3 : 300, true, brief ? 12 : 0);
        struct result r = solve(&t);
        double sum = 0;
        for (int i = 0; i < REGIONS; i++) {
            assert_near(r.untimed[i], t.regions[i].counted_ticks - t.regions[i].counted_events * r.call / 2);
            sum += r.untimed[i];
        }
        assert_near(sum, t.sums.counted_ticks - t.sums.counted_events * r.call / 2);
    }
}

/* A stamp that hides among the work lets the segment of a small function seem to last less than nothing. */
Test(in_situ, brief_kinds_stay_positive_and_their_sum_is_right)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct thread t;
        simulate(&t, seed, 100000, 1, 2, true, 12);
        struct result r = solve(&t);
        for (int p = 0; p < PATHS; p++)
            for (int k = 0; k < 2; k++) {
                double always = t.paths[p].kinds[k].always.count;
                cr_assert(r.kinds[p][k] + always * 12 > 0); /* of those timed always the whole stamp is taken */
            }
        cr_assert(fabs(r.sum - t.actual) <= 0.05 * t.actual, "%g, not %g", r.sum, t.actual);
    }
}

Test(in_situ, intervals_cover_the_truth)
{
    int kinds = 0, covered = 0, totals = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct thread t;
        uint64_t state = seed + 1000;
        simulate(&t, seed, 60000, 4 * BLUR, 60, true, 0);
        double spread = 0.4, truth = t.event;
        t.event += spread / 2 * prng_normal(&state); /* calibration was that much off */
        struct result r = solve(&t);
        t.event = truth;
        for (int p = 0; p < PATHS; p++)
            for (int k = 0; k < 2; k++) {
                double systematic = t.paths[p].kinds[k].occurrences / 2 * spread;
                kinds++;
                covered += fabs(r.kinds[p][k] - t.paths[p].truth[k]) <=
                           1.96 * sqrt(systematic * systematic + r.variance[p][k]);
            }
        totals += fabs(r.sum - t.actual) <= 1.96 * t.sums.count / 2 * spread;
    }
    cr_assert(totals >= 180, "%d of 200 totals", totals);
    cr_assert(covered >= kinds * 9 / 10, "%d of %d kinds", covered, kinds);
}
