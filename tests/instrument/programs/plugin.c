/* A plug-in: compiled as A and as B, which have the same size and so come to lie at the same address. */
#include "expect.h"

int NAME(int x)
{
    return x + NUMBER;
}

int call_it(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += NAME(i);
    return sum;
}
