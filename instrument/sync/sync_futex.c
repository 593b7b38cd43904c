/* Futexes that the program waits on by syscall(): locks of its own, waits for atomic objects of C++. The call that
 * wakes one does not say which waits it ends, so they are external waits. */
#if defined(__x86_64__)
#include "instrument/sync/external_wait.h"
#include "profiler/base/raw_call.h"

#include <linux/futex.h>

static bool waits(long operation)
{
    long command = operation & FUTEX_CMD_MASK;
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
           command == FUTEX_WAIT_REQUEUE_PI;
}

long system_call_futex(long number, long word, long operation, long value, long timeout, long other, long last);

/* What syscall() becomes for SYS_futex (restrictions.c jumps here). */
long system_call_futex(long number, long word, long operation, long value, long timeout, long other, long last)
{
    bool begun = waits(operation) && external_wait_begin(PCOMP_EXTERNAL_FUTEX);
    long result = raw_call6(number, word, operation, value, timeout, other, last);
    external_wait_end(begun, PCOMP_EXTERNAL_FUTEX);
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
#endif
