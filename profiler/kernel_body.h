/* One copy of the calibration kernel, KERNEL; no tail call and no accumulator that would make a loop of it. */
#include "profiler/calibration_kernel.h"

__attribute__((noinline)) long KERNEL(long n)
{
    KERNEL_ENTER;
    long result = n;
    if (n >= 2) {
        long first = KERNEL(n - 1);
        result = (first << 1) ^ KERNEL(n - 2);
    }
    KERNEL_EXIT;
    return result;
}
