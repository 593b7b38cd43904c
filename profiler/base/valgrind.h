/* Whether the process runs on valgrind, which is asked by instructions that do nothing elsewhere ("client requests" of
 * its manual). */
#ifndef PCOMP_VALGRIND_H
#define PCOMP_VALGRIND_H

#include <stdbool.h>
#include <stdint.h>

#define VALGRIND_IS_THERE 0x1001u

static inline bool runs_on_valgrind(void)
{
    uint64_t depth = 0;
#if defined(__x86_64__)
    const volatile uint64_t request[6] = {VALGRIND_IS_THERE};
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
                     : "+d"(depth)
                     : "a"(request)
                     : "cc", "memory");
#endif
    return depth != 0;
}

#endif
