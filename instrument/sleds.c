/* Sleds are no calls: nothing of this library runs until the sleds of the program are led to their slots, when the
 * library is loaded. A static program names the symbol, so that the archive's member is linked. */
#include "profiler/base/own_stack.h"
#include "profiler/process/session.h"

#include <stddef.h>
#include <stdint.h>

char pcomp_sleds_anchor __attribute__((visibility("default")));

#define LEFT 4096 /* bytes; the loader's look-ups for real_functions.h took more */

static void register_all(void *nothing)
{
    (void)nothing;
    session_register_sleds();
}

/* No memset: a call of it leaves its return address. */
static __attribute__((noinline)) void clean_stack(void)
{
    volatile uint64_t left[LEFT / sizeof(uint64_t)];
    for (size_t i = 0; i < LEFT / sizeof(uint64_t); i++)
        left[i] = 0;
    __asm__ volatile("" ::"r"(left));
}

/* What the loader looks up late keeps all registers on the stack. */
static void clean_registers(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

/* Behind the look-ups of real_functions.h, before any constructor of the program. A program that reads locals of `main`
 * which it never set finds there what ran on the stack before: leave nothing of ours. */
static __attribute__((constructor(102))) void register_sleds(void)
{
    own_stack_run(register_all, NULL);
    clean_stack();
    clean_registers();
}
