/* Programs of ThreadSanitizer. It sees what the library does by memset and memcpy, and none of its locks, so that it
 * would report races in the program: between the two calls it ignores the thread's accesses. They nest. Not while a
 * thread begins, which ThreadSanitizer does not know yet. */
#ifndef PCOMP_SANITIZER_H
#define PCOMP_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZER_SEES_ALL 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SANITIZER_SEES_ALL 1
#endif

extern void __tsan_init(void) __attribute__((weak));
extern void __sanitizer_print_stack_trace(void) __attribute__((weak)); /* of all of them */

/* The thread begins, and ThreadSanitizer does not know it yet: nothing is told to it. */
extern __thread bool sanitizer_is_late __attribute__((tls_model("initial-exec")));

static inline bool sanitizer_is_there(void)
{
    return __tsan_init;
}

/* A function of the sanitizer's runs all threads: what it is told to run is not seen. */
static inline bool sanitizer_runs_threads(void)
{
    return __sanitizer_print_stack_trace;
}

/* ThreadSanitizer keeps signals, and runs their handlers in the next function that it stands in front of, whatever the
 * thread has blocked since. Where all signals are blocked, before a lock is taken: runs those of now. */
static inline void sanitizer_delivers(void)
{
    static size_t (*volatile any)(const char *) = strlen;
    if (__builtin_expect(sanitizer_is_there(), 0))
        any("");
}

#ifdef SANITIZER_SEES_ALL /* the library is built with it */
static inline void sanitizer_ignores(void) {}
static inline void sanitizer_watches(void) {}
#else
extern void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));

static inline void sanitizer_ignores(void)
{
    if (__builtin_expect(
            sanitizer_is_there() && !sanitizer_is_late && AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd, 0))
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}

static inline void sanitizer_watches(void)
{
    if (__builtin_expect(
            sanitizer_is_there() && !sanitizer_is_late && AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd, 0))
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#endif

#endif
