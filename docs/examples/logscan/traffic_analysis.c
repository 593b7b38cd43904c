#include "logscan.h"

#include <stdlib.h>
#include <string.h>

/* Levenshtein distance: insertions, deletions and replacements that turn a into b. */
unsigned edit_distance(const char *a, const char *b)
{
    unsigned row[PATH_SIZE];
    size_t columns = strlen(b);
    for (size_t j = 0; j <= columns; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[columns];
}

/* Pairs among the `first` busiest pages whose paths differ by at most `distance` letters. */
size_t count_lookalikes(const struct page_table *t, size_t first, unsigned distance)
{
    size_t pairs = 0;
    if (first > t->count)
        first = t->count;
    for (size_t i = 0; i < first; i++)
        for (size_t j = i + 1; j < first; j++)
            pairs += edit_distance(t->pages[i].path, t->pages[j].path) <= distance;
    return pairs;
}

/* The shift, in seconds, at which the traffic resembles itself most; 0 when there is no memory. */
unsigned strongest_period(const unsigned *requests_a_second, size_t seconds, unsigned longest, double *strength)
{
    double *x = malloc(seconds * sizeof(*x));
    if (!x)
        return 0;
    double mean = 0, best = 0;
    for (size_t i = 0; i < seconds; i++)
        mean += requests_a_second[i];
    mean /= (double)seconds;
    for (size_t i = 0; i < seconds; i++)
        x[i] = requests_a_second[i] - mean;
    double variance = autocovariance(x, seconds, 0);
    unsigned period = 0;
    for (unsigned lag = 30; lag <= longest; lag++) {
        double covariance = autocovariance(x, seconds, lag);
        if (covariance > best) {
            best = covariance;
            period = lag;
        }
    }
    *strength = variance > 0 ? best / variance : 0;
    free(x);
    return period;
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

void latency_percentiles(unsigned *milliseconds, size_t count, unsigned *p50, unsigned *p99)
{
    *p50 = *p99 = 0;
    if (count == 0)
        return;
    qsort(milliseconds, count, sizeof(*milliseconds), compare_numbers);
    *p50 = milliseconds[count / 2];
    *p99 = milliseconds[count - count / 100 - 1];
}
