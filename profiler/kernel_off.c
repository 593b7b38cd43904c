/* Calls of hooks that are off: arguments in their registers, an instruction that does nothing, and the registers that a
 * call does not keep lost (profiler/code/sites/arch/x86_64/hook_call.h). */
#define CALL(function)                                                                                                 \
    do {                                                                                                               \
        void *first_ = (void *)(function), *second_ = __builtin_return_address(0);                                     \
        __asm__ volatile("testl $0x12345678, %%eax"                                                                    \
                         : "+D"(first_), "+S"(second_)                                                                 \
                         :                                                                                             \
                         : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc", "memory");                             \
    } while (0)

#define KERNEL(name) off_##name
#if defined(__x86_64__)
#define ENTER(name) CALL(KERNEL(name))
#define EXIT(name)  CALL(KERNEL(name))
#else
#define ENTER(name)
#define EXIT(name)
#endif
#include "profiler/kernel_body.h"
