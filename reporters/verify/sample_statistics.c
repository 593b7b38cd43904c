#include "reporters/verify/sample_statistics.h"

#include <math.h>
#include <stdlib.h>

static int value_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_values(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, value_order);
}

/* Of sorted values; position from 0 to 1, between neighbours linearly. */
static double quantile(const double *values, size_t count, double position)
{
    double at = position * (double)(count - 1);
    size_t below = (size_t)at;
    return below + 1 < count ? values[below] + (at - (double)below) * (values[below + 1] - values[below])
                             : values[count - 1];
}

double sample_median(double *values, size_t count)
{
    sort_values(values, count);
    return count ? quantile(values, count, 0.5) : NAN;
}

/* The greatest k such that the k-th value from either end lies beyond the true median with at most 2.5 %: that is the
 * probability that fewer than k of `count` values lie on that side of it. */
static size_t interval_rank(size_t count)
{
    double log_choose = 0, tail = 0; /* logarithms, since 2^-count underflows */
    for (size_t k = 0; k < count; k++) {
        tail += exp(log_choose - (double)count * log(2));
        if (tail > 0.025)
            return k;
        log_choose += log((double)(count - k) / (double)(k + 1));
    }
    return 0;
}

struct sample_interval sample_median_interval(double *values, size_t count)
{
    if (!count)
        return (struct sample_interval){NAN, NAN, NAN};
    double median = sample_median(values, count);
    size_t rank = interval_rank(count), low = rank ? rank - 1 : 0;
    return (struct sample_interval){median, values[low], values[count - 1 - low]};
}

double sample_spread(double *values, size_t count)
{
    double median = sample_median(values, count);
    return count ? (quantile(values, count, 0.75) - quantile(values, count, 0.25)) / median : NAN;
}

double sample_deviation(const double *values, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

double total_variation(const double *a, const double *b, size_t count)
{
    double all_a = 0, all_b = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        all_a += a[i];
        all_b += b[i];
    }
    if (!(all_a > 0) || !(all_b > 0))
        return NAN;
    for (size_t i = 0; i < count; i++)
        sum += fabs(a[i] / all_a - b[i] / all_b);
    return sum / 2;
}
