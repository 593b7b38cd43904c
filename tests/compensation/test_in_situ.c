/* The estimator for exact counts and sampled times: its laws, its rules worked by hand, and whether its interval covers
 * the truth of simulated threads. */
#include "compensation/in_situ.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define PATHS 6

static const struct pcomp_kind nothing;

static void assert_near(double value, double expected)
{
    cr_assert(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)), "%.17g, expected %.17g", value, expected);
}

static struct pcomp_kind kind(double occurrences, double always_ticks, double always, double ticks, double sampled)
{
    return (struct pcomp_kind){occurrences, {always_ticks, always}, {ticks, sampled}};
}

Test(in_situ, the_untimed_take_the_mean_of_the_sampled)
{
    struct pcomp_kind k = kind(1000, 700, 10, 300, 20);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 4);
    assert_near(e.count, 1000);
    assert_near(e.timed, 1000);
    assert_near(e.untimed, 970);
    assert_near(e.mean, 15);
    assert_near(e.variance, 970 * 4 * (970 / 20.0 + 1));
}

Test(in_situ, too_few_samples_are_joined_by_those_always_timed)
{
    struct pcomp_kind k = kind(100, 130, 10, 70, 7);
    assert_near(pcomp_kind_estimate(&k, &nothing, 99, 4).mean, 200 / 17.0);
}

Test(in_situ, a_kind_without_times_borrows)
{
    struct pcomp_kind k = kind(100, 0, 0, 0, 0), other = kind(50, 0, 0, 60, 5);
    assert_near(pcomp_kind_estimate(&k, &other, 99, NAN).mean, 12);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, NAN);
    assert_near(e.mean, 99);
    assert_near(e.variance, 9900.0 * 9900);
    assert_near(pcomp_kind_estimate(&k, &nothing, 0, NAN).mean, 0);
}

Test(in_situ, more_timed_than_occurred_leaves_none_untimed)
{
    struct pcomp_kind k = kind(5, 0, 0, 90, 9);
    struct pcomp_kind_time e = pcomp_kind_estimate(&k, &nothing, 99, 4);
    assert_near(e.untimed, 0);
    assert_near(e.count, 9);
    assert_near(e.variance, 0);
}

Test(in_situ, variance_is_pooled_within_the_two_kinds)
{
    /* 1 3 and 10 14 18: squares within 2 and 32 */
    struct pcomp_kind enter = kind(9, 0, 0, 4, 2), exit = kind(9, 0, 0, 42, 3);
    assert_near(pcomp_segment_variance(&enter, &exit, 1 + 9 + 100 + 196 + 324), 34 / 3.0);
    enter = kind(9, 0, 0, 4, 2);
    cr_assert(isnan(pcomp_segment_variance(&enter, &nothing, 10)));
    cr_assert(isfinite(pcomp_segment_variance(&enter, &exit, NAN)));
    cr_assert(pcomp_segment_variance(&enter, &exit, -1) >= 0);
}

static const struct pcomp_counting counting = {.call = 20, .spread = 0.5, .overlap = 30, .stamp = 40};

static struct pcomp_correction correct(double events, double ticks, double untimed, double predicted)
{
    return pcomp_correction_of(
        &counting, &(struct pcomp_thread_sums){
                       .counted_events = events, .counted_ticks = ticks, .untimed = untimed, .predicted = predicted});
}

Test(in_situ, what_hides_depends_on_the_work_between_calls)
{
    for (double each = 1; each < 1e6; each *= 1.3) {
        struct pcomp_correction c = correct(10000, each * 5000, 10000, 0);
        double work = fmax(each - c.call, 0);
        assert_near(c.call, counting.call * counting.overlap / (counting.overlap + work));
        assert_near(c.call_spread / counting.spread, c.call / counting.call);
        assert_near(c.segment * 10000, each * 5000 - 5000 * c.call);
    }
    struct pcomp_counting open = counting;
    open.overlap = 0;
    struct pcomp_thread_sums sums = {.counted_events = 1e5, .counted_ticks = 1e9, .untimed = 1e5};
    assert_near(pcomp_correction_of(&open, &sums).call, 20);
    open.overlap = INFINITY;
    assert_near(pcomp_correction_of(&open, &sums).call, 20);
}

Test(in_situ, too_little_counted_takes_the_calibrated_stamp)
{
    cr_assert(correct(2000, 1e6, 2000, 1e5).conserves);
    const struct pcomp_correction few[] = {correct(1999, 1e6, 2000, 1e5), correct(2000, 1e6, 1999, 1e5)};
    for (int i = 0; i < 2; i++) {
        cr_assert_not(few[i].conserves);
        assert_near(few[i].segment, -counting.stamp);
        assert_near(few[i].call, counting.call);
    }
}

/* --- Simulated threads ------------------------------------------------------------------------------------------- */

struct path {
    struct pcomp_kind kinds[2]; /* enter, exit */
    double mean[2], squares, truth[2];
};

struct thread {
    struct path paths[PATHS];
    struct pcomp_thread_sums sums;
    double actual; /* of all segments */
    struct pcomp_timed sampled;
    double stamp, event;
};

static double uniform(uint64_t *state)
{
    return (double)(prng_next(state) >> 11) / 9007199254740992.0;
}

static double exponential(uint64_t *state, double mean)
{
    return -mean * log(1 - uniform(state));
}

/* A thread of `events` segments of random kinds: the first 50 of a path always timed, then random bursts of 32 among
 * the others. `noise`: durations vary. */
static void simulate(struct thread *t, uint64_t seed, int events, bool noise)
{
    uint64_t state = seed;
    *t = (struct thread){.stamp = 35, .event = 10};
    double weight[PATHS], total = 0;
    for (int p = 0; p < PATHS; p++) {
        total += weight[p] = exponential(&state, 1) + 0.05;
        for (int k = 0; k < 2; k++)
            t->paths[p].mean[k] = 2 + exponential(&state, 60);
    }
    int gap = 0, burst = 0;
    for (int i = 0; i < events; i++) {
        double at = uniform(&state) * total;
        int p = 0, k = (int)prng_below(&state, 2);
        while (p < PATHS - 1 && at >= weight[p])
            at -= weight[p++];
        struct path *path = &t->paths[p];
        double duration = noise ? exponential(&state, path->mean[k]) : path->mean[k], stamped = duration + t->stamp;
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
            t->sums.counted_ticks += duration + t->event;
            t->sums.counted_events++;
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
    struct pcomp_correction correction;
    double kinds[PATHS][2], variance[PATHS][2], sum, variance_all;
};

static struct result solve(struct thread *t, double spread)
{
    struct result r = {.sum = 0};
    struct pcomp_kind_time e[PATHS][2];
    double mean = t->sampled.count > 0 ? t->sampled.ticks / t->sampled.count : 0, count = 0, variance = 0;
    for (int p = 0; p < PATHS; p++)
        for (int k = 0; k < 2; k++) {
            const struct path *path = &t->paths[p];
            double s2 = pcomp_segment_variance(&path->kinds[0], &path->kinds[1], path->squares);
            e[p][k] = pcomp_kind_estimate(&path->kinds[k], &path->kinds[!k], mean, s2);
            pcomp_thread_add(&t->sums, &e[p][k]);
        }
    struct pcomp_counting calibrated = {.call = 2 * t->event, .spread = spread, .stamp = t->stamp};
    r.correction = pcomp_correction_of(&calibrated, &t->sums);
    for (int p = 0; p < PATHS; p++)
        for (int k = 0; k < 2; k++) {
            r.kinds[p][k] = pcomp_kind_compensated(&e[p][k], &r.correction);
            r.variance[p][k] = pcomp_part_variance(e[p][k].count, e[p][k].variance, &r.correction);
            r.sum += r.kinds[p][k];
            count += e[p][k].count;
            variance += e[p][k].variance;
        }
    r.variance_all = pcomp_part_variance(count, variance, &r.correction);
    assert_near(r.sum, pcomp_thread_compensated(&t->sums, &r.correction));
    assert_near(count, t->sums.count);
    return r;
}

Test(in_situ, without_noise_every_kind_is_exact)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct thread t;
        simulate(&t, seed, 100000, false);
        struct result r = solve(&t, 0);
        cr_assert(r.correction.conserves);
        for (int p = 0; p < PATHS; p++)
            for (int k = 0; k < 2; k++)
                assert_near(r.kinds[p][k], t.paths[p].truth[k]);
    }
}

Test(in_situ, sums_are_conserved)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct thread t;
        simulate(&t, seed, 100000, true);
        struct result r = solve(&t, 0);
        double timed = t.sums.count - t.sums.untimed;
        /* the counted as they were, and the timed less what was found to be their stamp */
        assert_near(r.sum, t.sums.counted_ticks - t.sums.counted_events * t.event + t.sums.timed +
                               timed * r.correction.segment);
        assert_near(pcomp_part_variance(t.sums.untimed, t.sums.variance, &r.correction), 0);
    }
}

Test(in_situ, intervals_cover_the_truth)
{
    int kinds = 0, covered = 0, totals = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct thread t;
        uint64_t state = seed + 1000;
        simulate(&t, seed, 60000, true);
        double spread = 0.4, truth = t.event;
        t.event += spread / 2 * prng_normal(&state); /* calibration was that much off */
        struct result r = solve(&t, spread);
        t.event = truth;
        for (int p = 0; p < PATHS; p++)
            for (int k = 0; k < 2; k++) {
                double systematic = t.paths[p].kinds[k].occurrences / 2 * r.correction.call_spread;
                kinds++;
                covered += fabs(r.kinds[p][k] - t.paths[p].truth[k]) <=
                           1.96 * sqrt(systematic * systematic + r.variance[p][k]);
            }
        double systematic = t.sums.count / 2 * r.correction.call_spread;
        totals += fabs(r.sum - t.actual) <= 1.96 * sqrt(systematic * systematic + r.variance_all);
    }
    cr_assert(totals >= 180, "%d of 200 totals", totals);
    cr_assert(covered >= kinds * 9 / 10, "%d of %d kinds", covered, kinds);
}
