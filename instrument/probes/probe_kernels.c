/* Kernels: probes as the calibration calls them, without the program's code around them (profiler/code/sites/sites.h).
 */
#include "profiler/code/sites/sites.h"

#include <stddef.h>

#if defined(__x86_64__)
#include "instrument/probes/probe_registers.h"
#include "instrument/probes/probes.h"
#include "instrument/probes/traced_probes.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

#define COUNT(number)                                                                                                  \
    "movq counts_thread@GOTTPOFF(%%rip), %%r11\n"                                                                      \
    "movq %%fs:(%%r11), %%r11\n"                                                                                       \
    "incq 8*" #number "(%%r11)\n"

static NAKED void hook_enter_kernel(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(COUNT(0) "nop\n"
                              "jmp hook_enter_timed\n" ::);
}

static NAKED void hook_enter_kernel_traced(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(COUNT(0) "nop\n"
                              "jmp hook_enter_traced\n" ::);
}

#define SLED_KERNEL(count, enter, leave)                                                                               \
    "call 1f\n"                                                                                                        \
    "movq %%rdi, %%r11\n"                                                                                              \
    "jmp " leave "\n"                                                                                                  \
    "1: " count "movq %%rdi, %%r11\n"                                                                                  \
    "jmp " enter "\n"

static NAKED void sled_kernel_timed(uint64_t function __attribute__((unused)))
{
    __asm__ volatile(SLED_KERNEL(COUNT(0), "sled_enter_timed", "sled_return_timed")::);
}

static NAKED void sled_kernel_any(uint64_t function __attribute__((unused)))
{
    __asm__ volatile(SLED_KERNEL("", "sled_enter_any", "sled_return_any")::);
}

#define FOUR_CALLS(label) "call " label "0f\ncall " label "1f\ncall " label "2f\ncall " label "3f\n"

static NAKED void counted_kernel(void)
{
    __asm__ volatile(FOUR_CALLS("1") FOUR_CALLS("1") FOUR_CALLS("1") FOUR_CALLS(
        "1") "ret\n"
             "10: call 20f\nret\n11: call 21f\nret\n12: call 22f\nret\n13: call 23f\nret\n"
             "20: " COUNT(0) "ret\n21: " COUNT(1) "ret\n22: " COUNT(2) "ret\n23: " COUNT(3) "ret\n" ::);
}

static NAKED void uncounted_kernel(void)
{
    __asm__ volatile(FOUR_CALLS("1") FOUR_CALLS("1") FOUR_CALLS("1")
                         FOUR_CALLS("1") "ret\n"
                                         "10: ret\n11: ret\n12: ret\n13: ret\n" ::);
}

const struct site_kernels *site_kernels(enum probes kind)
{
    static const struct site_kernels any_way = {__cyg_profile_func_enter, __cyg_profile_func_exit, sled_kernel_any,
                                                counted_kernel, uncounted_kernel};
    static struct site_kernels all;
    all = any_way;
    if (kind == PROBES_TRACED) {
        all.hook_enter = hook_enter_kernel_traced;
        all.hook_exit = hook_exit_traced;
    }
    if (kind == PROBES_TIMED) {
        all.hook_enter = hook_enter_kernel;
        all.hook_exit = hook_exit_timed;
        all.sled = sled_kernel_timed;
    }
    return &all;
}

#else

const struct site_kernels *site_kernels(enum probes kind)
{
    (void)kind;
    return NULL;
}

#endif
