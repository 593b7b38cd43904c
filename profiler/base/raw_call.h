/* System calls that leave errno alone, for threads that have no errno of their own (x86-64 only), and for hooks, which
 * are no cancellation points either. */
#ifndef PCOMP_RAW_CALL_H
#define PCOMP_RAW_CALL_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns what the kernel returns: -errno for an error. */
static inline long raw_call6(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#else
    int saved = errno;
    long result = syscall(number, a, b, c, d, e, f);
    result = result < 0 ? -errno : result;
    errno = saved;
    return result;
#endif
}

static inline long raw_call(long number, long a, long b, long c, long d)
{
    return raw_call6(number, a, b, c, d, 0, 0);
}

/* Reads the beginning of a file, `size` bytes with the NUL behind it, and returns how many are in front of that; 0: not
 * read. No descriptor stays open. */
static inline long raw_read(const char *path, char *text, size_t size)
{
    long length = 0, fd = raw_call(SYS_openat, AT_FDCWD, (long)(uintptr_t)path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        length = raw_call(SYS_read, fd, (long)(uintptr_t)text, (long)size - 1, 0);
        raw_call(SYS_close, fd, 0, 0, 0);
    }
    length = length > 0 ? length : 0;
    text[length] = '\0';
    return length;
}

/* Of the library's own. gcc 14's ThreadSanitizer faults in a `close` of a thread that it has not started. */
static inline void descriptor_close(int fd)
{
    raw_call(SYS_close, fd, 0, 0, 0);
}

#endif
