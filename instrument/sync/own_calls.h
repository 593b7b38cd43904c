/* Calls that the library itself makes of functions that it interposes: the linker binds them to ours, too. */
#ifndef PCOMP_OWN_CALLS_H
#define PCOMP_OWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* The linker's: where this library begins, and where its code ends. */
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _etext __attribute__((visibility("hidden")));

/* In an exported function: it was called by the library, and is to do no more than the real one. */
#define CALLED_BY_US() (is_own_code(__builtin_return_address(0)))

static inline bool is_own_code(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    return at >= (uintptr_t)&__ehdr_start && at < (uintptr_t)&_etext;
}

#endif
