#include "instrument/probes/traced_probes.h"

#include "instrument/probes/probe_text.h"
#include "instrument/record_text.h"
#include "profiler/base/thread_state.h"
#include "profiler/hooks/first_calls.h"
#include "profiler/trace/trace_record.h"

#include <stddef.h>

#if defined(__x86_64__)

/* rdi: the function. */
#define RECORD(bit, slow)                                                                                              \
    "movq current_thread@GOTTPOFF(%%rip), %%rax\n"                                                                     \
    "movq %%fs:(%%rax), %%r8\n" RECORD_TEXT("1", "2", "limit", bit) "ret\n"                                            \
                                                                    "2: " slow
#define RECORD_OPERANDS                                                                                                \
    [cursor] "i"(offsetof(struct thread_state, trace_cursor)),                                                         \
        [limit] "i"(offsetof(struct thread_state, trace_limit)), [enter_bit] "i"(TRACE_ENTER_BIT),                     \
        [exit_bit] "i"(TRACE_EXIT_BIT)

NAKED void hook_enter_traced(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(RECORD("enter_bit", "movq %%rsp, %%rdx\njmp callstack_enter_traced\n") : : RECORD_OPERANDS);
}

/* r8: the clock is read behind it. */
NAKED void hook_exit_traced(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(RECORD("exit_bit", "movq %%r8, %%rcx\nmovq %%rsp, %%rdx\njmp callstack_exit\n")
                     :
                     : RECORD_OPERANDS);
}

/* Of sleds: the stack address in r11. */
static NAKED void sled_record_enter(void)
{
    __asm__ volatile(RECORD("enter_bit", "movq %%r11, %%rdx\n" CALL_APART("callstack_enter_traced") "ret\n")
                     :
                     : RECORD_OPERANDS);
}

static NAKED void sled_record_exit(void)
{
    __asm__ volatile(RECORD("exit_bit", "movq %%r8, %%rcx\nmovq %%r11, %%rdx\n" CALL_APART("callstack_exit") "ret\n")
                     :
                     : RECORD_OPERANDS);
}

NAKED void sled_enter_traced(void)
{
    __asm__ volatile(SLED_ENTER("sled_record_enter")::);
}

NAKED void sled_return_traced(void)
{
    __asm__ volatile(SLED_RETURN("sled_record_exit")::);
}

NAKED void sled_tail_traced(void)
{
    __asm__ volatile(SLED_TAIL("sled_record_exit")::);
}

NAKED void hook_enter_first_traced(void)
{
    __asm__ volatile(FIRST("first_enter", "hook_enter_traced")::);
}

NAKED void hook_exit_first_traced(void)
{
    __asm__ volatile(FIRST("first_exit", "hook_exit_traced")::);
}

NAKED void sled_first_traced(void)
{
    __asm__ volatile(FIRST_SLED("sled_enter_traced")::[unknown] "i"(FIRST_SLED_UNKNOWN));
}

#endif
