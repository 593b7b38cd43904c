#include "logscan.h"

/* How much a series resembles itself `lag` steps later; x has zero mean. */
double autocovariance(const double *x, size_t count, unsigned lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < count; i++)
        sum += x[i] * x[i + lag];
    return sum;
}
