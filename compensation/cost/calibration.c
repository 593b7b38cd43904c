#include "compensation/cost/calibration.h"

__extension__ typedef unsigned __int128 wide;

/* Shell sort: a few hundred values, no recursion, no call out of this file. */
static void batches_sort(int64_t *ticks, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < count; i++) {
            int64_t value = ticks[i];
            uint32_t j = i;
            for (; j >= gap && ticks[j - gap] > value; j -= gap)
                ticks[j] = ticks[j - gap];
            ticks[j] = value;
        }
    }
}

/* Sorts, and drops the batches during which the clock stepped back. */
static struct pcomp_batches batches_prepare(struct pcomp_batches batches)
{
    uint32_t negative = 0;

    if (batches.count == 0)
        return batches;
    batches_sort(batches.ticks, batches.count);
    while (negative < batches.count && batches.ticks[negative] < 0)
        negative++;
    return (struct pcomp_batches){batches.ticks + negative, batches.count - negative};
}

/* ticks / calls in fixed point, to the nearest; ticks is not negative. */
static int64_t fixed_mean(int64_t ticks, uint64_t calls)
{
    wide mean = (((wide)ticks << PCOMP_FIX_SHIFT) + calls / 2) / calls;

    return mean > INT64_MAX ? INT64_MAX : (int64_t)mean;
}

static wide add_saturated(wide a, wide b)
{
    return a + b < a ? ~(wide)0 : a + b;
}

static int64_t square_root(wide square)
{
    wide root = 0;

    for (wide bit = (wide)1 << 126; bit != 0; bit >>= 2) {
        if (square >= root + bit) {
            square -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root > INT64_MAX ? INT64_MAX : (int64_t)root;
}

/* Mean square distance from the minimum of the faster half of sorted batches. The minimum itself adds 0 by
 * construction and is not counted. */
static wide mean_square_distance(struct pcomp_batches batches, int64_t minimum, uint64_t calls)
{
    uint32_t others = batches.count / 2;
    wide sum = 0;

    for (uint32_t i = 1; i <= others; i++) {
        wide distance = (wide)(fixed_mean(batches.ticks[i], calls) - minimum);
        sum = add_saturated(sum, distance * distance);
    }
    return others == 0 ? 0 : sum / others;
}

struct pcomp_estimate pcomp_estimate_cost(struct pcomp_batches measured, struct pcomp_batches reference, uint64_t calls)
{
    struct pcomp_estimate estimate = {0, 0, 0};
    int64_t floor = 0;
    wide square;

    measured = batches_prepare(measured);
    reference = batches_prepare(reference);
    if (measured.count == 0 || calls == 0)
        return estimate;

    int64_t minimum = fixed_mean(measured.ticks[0], calls);
    square = mean_square_distance(measured, minimum, calls);
    if (reference.count > 0) {
        floor = fixed_mean(reference.ticks[0], calls);
        square = add_saturated(square, mean_square_distance(reference, floor, calls));
    }
    estimate.value = minimum - floor;
    estimate.spread = square_root(square);
    estimate.repetitions = measured.count;
    if (measured.count == 1)
        estimate.spread = estimate.value < 0 ? -estimate.value : estimate.value;
    return estimate;
}

/* Mean of the usable of sorted batches, fixed-point; their mean square distance from it. 0 of none. */
static int64_t usable_mean(struct pcomp_batches batches, uint64_t calls, wide *square)
{
    uint32_t usable = 1; /* the median is, so half of them are */
    wide sum = 0, distances = 0;

    *square = 0;
    if (batches.count == 0)
        return 0;
    while (usable < batches.count && (wide)batches.ticks[usable] <= 2 * (wide)batches.ticks[(batches.count - 1) / 2])
        usable++;
    for (uint32_t i = 0; i < usable; i++)
        sum = add_saturated(sum, (wide)fixed_mean(batches.ticks[i], calls));
    int64_t mean = (int64_t)(sum / usable);
    for (uint32_t i = 0; i < usable; i++) {
        int64_t value = fixed_mean(batches.ticks[i], calls);
        wide distance = (wide)(value > mean ? value - mean : mean - value);
        distances = add_saturated(distances, distance * distance);
    }
    *square = distances / usable;
    return mean;
}

struct pcomp_estimate pcomp_estimate_mean(struct pcomp_batches measured, struct pcomp_batches reference, uint64_t calls)
{
    struct pcomp_estimate estimate = {0, 0, 0};
    wide square, other;

    measured = batches_prepare(measured);
    reference = batches_prepare(reference);
    if (measured.count == 0 || calls == 0)
        return estimate;
    estimate.value = usable_mean(measured, calls, &square) - usable_mean(reference, calls, &other);
    estimate.spread = square_root(add_saturated(square, other));
    estimate.repetitions = measured.count;
    return estimate;
}

int64_t pcomp_batches_median(struct pcomp_batches batches, int64_t max, struct pcomp_loss *loss)
{
    batches = batches_prepare(batches);
    if (batches.count == 0)
        return 0;
    int64_t median = batches.ticks[batches.count / 2];
    for (uint32_t i = 0; loss && i < batches.count; i++) {
        int64_t beyond = batches.ticks[i] - median;
        loss->lost += beyond < max ? beyond : max;
        loss->kept += median;
    }
    return median;
}

int64_t pcomp_loss_added(int64_t cost, const struct pcomp_loss *loss)
{
    if (cost <= 0 || loss->lost <= 0 || loss->kept <= 0)
        return cost;
    if (loss->lost >= loss->kept)
        return 2 * cost;
    return cost + (int64_t)((wide)cost * (wide)loss->lost / (wide)loss->kept);
}

struct pcomp_delta pcomp_delta_from_estimates(struct pcomp_estimate own, struct pcomp_estimate descendant,
                                              struct pcomp_estimate direct, uint64_t calls)
{
    return (struct pcomp_delta){
        .own = own.value,
        .descendant = descendant.value,
        .direct = direct.value,
        .own_spread = own.spread,
        .descendant_spread = descendant.spread,
        .direct_spread = direct.spread,
        .repetitions = own.repetitions < descendant.repetitions ? own.repetitions : descendant.repetitions,
        .batch = calls,
    };
}
