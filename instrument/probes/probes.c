/* What slots lead to (profiler/code/arch/x86_64/slots.h): the probes of sleds, which are no calls to the compiler
 * and keep every register but r11 and the flags; the timed probe of a hook call that its slot has counted; and the
 * first call of a site. Vector registers are saved only on the slow way, where libc runs.
 *
 *   stack of a sled:    S  return address of the function
 *   enter, tail:      S-8  return address into the sled          (the stack address of enter and exit, as a hook has
 * it) tail:            S-16  r11
 *
 * any: in whatever way calls are measured, through the hooks of instrument/hooks.c. timed: where every call is. */
#include "profiler/base/thread_state.h"
#include "profiler/code/sites/sites.h"
#include "profiler/hooks/callstack.h"
#include "profiler/hooks/first_calls.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include "instrument/probes/probe_text.h"
#include "instrument/probes/probes.h"
#include "instrument/probes/traced_probes.h"
#include "instrument/spread_text.h"

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

/* Reached by a jump, as the hooks reach callstack_enter and callstack_exit. */
void sled_slow_enter(void);
void sled_slow_exit(void);
void sled_slow_spread(void);

NAKED void sled_slow_enter(void)
{
    __asm__ volatile(CALL_APART("callstack_enter") "ret\n" ::);
}

NAKED void sled_slow_exit(void)
{
    __asm__ volatile(CALL_APART("callstack_exit") "ret\n" ::);
}

/* As spread_exit_hook. */
NAKED void sled_slow_spread(void)
{
    __asm__ volatile("push %%rdi" PUSHED "push %%rsi" PUSHED "push %%rdx" PUSHED "push %%rcx" PUSHED
                     "call spread_exit\n"
                     "pop %%rcx" POPPED "pop %%rdx" POPPED "pop %%rsi" POPPED "pop %%rdi" POPPED "testb %%al, %%al\n"
                     "jnz 1f\n" CALL_APART("spread_exit_room") "1: ret\n" ::);
}

/* --- any way ---------------------------------------------------------------------------------------------------------
 */

#ifdef PCOMP_FRAMED_HOOKS
#define HOOK_ENTER_OF_SLEDS "sled_framed_enter"
#define HOOK_EXIT_OF_SLEDS  "sled_framed_exit"

void sled_framed_enter(void);
void sled_framed_exit(void);

NAKED void sled_framed_enter(void)
{
    __asm__ volatile("movq %%r11, %%rdx\n" CALL_APART("hook_enter_at") "ret\n" ::);
}

NAKED void sled_framed_exit(void)
{
    __asm__ volatile("movq %%r11, %%rdx\n" CALL_APART("hook_exit_at") "ret\n" ::);
}
#else
#define HOOK_ENTER_OF_SLEDS "sled_hook_enter"
#define HOOK_EXIT_OF_SLEDS  "sled_hook_exit"
#endif

NAKED void sled_enter_any(void)
{
    __asm__ volatile(SLED_ENTER(HOOK_ENTER_OF_SLEDS)::);
}

NAKED void sled_return_any(void)
{
    __asm__ volatile(SLED_RETURN(HOOK_EXIT_OF_SLEDS)::);
}

static NAKED void sled_tail_any(void)
{
    __asm__ volatile(SLED_TAIL(HOOK_EXIT_OF_SLEDS)::);
}

/* --- timed -----------------------------------------------------------------------------------------------------------
 */

#define OPERANDS                                                                                                       \
    [pos] "i"(offsetof(struct thread_state, pos)), [accumulated] "i"(offsetof(struct thread_state, overhead)),         \
        [size] "i"(sizeof(struct timed_frame)), [function] "i"(offsetof(struct pcomp_frame, function)),                \
        [node] "i"(offsetof(struct pcomp_frame, node)), [sp] "i"(offsetof(struct pcomp_frame, sp)),                    \
        [overhead] "i"(offsetof(struct pcomp_frame, overhead)), [start] "i"(offsetof(struct pcomp_frame, start)),      \
        [look] "i"(offsetof(struct thread_state, poll_at)), [left] "i"(offsetof(struct thread_state, probes_left)),    \
        [late] "i"(offsetof(struct thread_state, late_at)), [span] "i"(LATE_TICKS),                                    \
        [own] "i"(offsetof(struct thread_state, own)), [descendant] "i"(offsetof(struct thread_state, descendant)),    \
        [end] "i"(offsetof(struct pcomp_frame, end)), [calls] "i"(offsetof(struct pcomp_node, calls)),                 \
        [raw] "i"(offsetof(struct pcomp_node, raw)), [compensated] "i"(offsetof(struct pcomp_node, compensated)),      \
        SPREAD_OPERANDS, [shift] "i"(PCOMP_FIX_SHIFT)

/* Repeated calls, as __cyg_profile_func_enter: rdi function. */
NAKED void hook_enter_timed(void)
{
    __asm__ volatile("movq current_thread@GOTTPOFF(%%rip), %%rax\n"
                     "movq %%fs:(%%rax), %%r8\n"
                     "addq %[size], %c[pos](%%r8)\n" /* published before it is filled, and */
                     "movq %c[pos](%%r8), %%r9\n"    /* read then: a handler before may move it */
                     "cmpq %%rdi, %c[function](%%r8,%%r9)\n"
                     "jne 1f\n"
                     "cmpq %%rsp, %c[sp](%%r8,%%r9)\n"
                     "jne 1f\n"
                     "movq %c[accumulated](%%r8), %%rax\n"
                     "movq %%rax, %c[overhead](%%r8,%%r9)\n"
                     "rdtsc\n"
                     "shlq $32, %%rdx\n"
                     "orq %%rdx, %%rax\n"
                     "cmpq %c[look](%%r8), %%rax\n"
                     "jae 1f\n"
                     "decq %c[left](%%r8)\n"
                     "js 1f\n"
                     "cmpq %c[late](%%r8), %%rax\n"
                     "jae 1f\n"
                     "leaq %c[span](%%rax), %%rdx\n"
                     "movq %%rdx, %c[late](%%r8)\n"
                     "movq %%rax, %c[start](%%r8,%%r9)\n"
                     "ret\n"
                     "1: movq %%rsp, %%rdx\n"
                     "jmp callstack_enter_counted\n"
                     :
                     : OPERANDS);
}

/* As __cyg_profile_func_exit: rdi function. Exits of another function than the innermost timed one are many where its
 * site serves counted functions, too (merged ends of inlined ones): they read no clock here. */
NAKED void hook_exit_timed(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile("movq current_thread@GOTTPOFF(%%rip), %%rax\n"
                     "movq %%fs:(%%rax), %%rcx\n"
                     "movq %c[pos](%%rcx), %%r9\n"
                     "xorl %%edx, %%edx\n"
                     "cmpq %%rdi, %c[function](%%rcx,%%r9)\n"
                     "jne 1f\n"
                     "rdtsc\n"
                     "shlq $32, %%rdx\n"
                     "orq %%rax, %%rdx\n"
                     "leaq %c[below](%%rsp), %%rax\n"
                     "subq %c[sp](%%rcx,%%r9), %%rax\n"
                     "cmpq %[reach], %%rax\n"
                     "ja 1f\n"
                     "cmpq %c[late](%%rcx), %%rdx\n"
                     "jae 1f\n"
                     "leaq %c[span](%%rdx), %%rax\n"
                     "movq %%rax, %c[late](%%rcx)\n"
                     "movq %c[node](%%rcx,%%r9), %%r10\n"
                     "movq %%rdx, %c[end](%%rcx,%%r9)\n"
                     "subq %c[start](%%rcx,%%r9), %%rdx\n"
                     "addq %%rdx, %c[raw](%%r10)\n"
                     "shlq %[shift], %%rdx\n"
                     "subq %c[accumulated](%%rcx), %%rdx\n"
                     "addq %c[overhead](%%rcx,%%r9), %%rdx\n"
                     "subq %c[own](%%rcx), %%rdx\n"
                     "movq %c[descendant](%%rcx), %%rax\n"
                     "addq %%rax, %c[accumulated](%%rcx)\n"
                     "incq %c[calls](%%r10)\n"
                     "addq %%rdx, %c[compensated](%%r10)\n" COUNT_BUCKET(
                         "r10", "r9") "ret\n"
                                      "1: movq %%rdx, %%r8\n"
                                      "movq %%rsp, %%rdx\n"
                                      "jmp callstack_exit\n" RECORD_BUCKET("r10", "jmp spread_exit_hook\n")
                     :
                     : OPERANDS, [below] "i"(EXIT_SP_BELOW), [reach] "i"(EXIT_SP_BELOW + EXIT_SP_ABOVE));
}

/* rcx thread_state, rdi pos; r11 function. */
NAKED void sled_enter_timed(void)
{
    __asm__ volatile("push %%rax" PUSHED "push %%rdx" PUSHED "push %%rcx" PUSHED "push %%rdi" PUSHED
                     "movq current_thread@GOTTPOFF(%%rip), %%rcx\n"
                     "movq %%fs:(%%rcx), %%rcx\n"
                     "addq %[size], %c[pos](%%rcx)\n" /* published before it is filled, and */
                     "movq %c[pos](%%rcx), %%rdi\n"   /* read then: a handler before may move it */
                     "leaq 32(%%rsp), %%rax\n"
                     "cmpq %%r11, %c[function](%%rcx,%%rdi)\n"
                     "jne 1f\n"
                     "cmpq %%rax, %c[sp](%%rcx,%%rdi)\n"
                     "jne 1f\n"
                     "movq %c[accumulated](%%rcx), %%rax\n"
                     "movq %%rax, %c[overhead](%%rcx,%%rdi)\n"
                     "rdtsc\n"
                     "shlq $32, %%rdx\n"
                     "orq %%rdx, %%rax\n"
                     "cmpq %c[look](%%rcx), %%rax\n"
                     "jae 1f\n"
                     "decq %c[left](%%rcx)\n"
                     "js 1f\n"
                     "cmpq %c[late](%%rcx), %%rax\n"
                     "jae 1f\n"
                     "leaq %c[span](%%rax), %%rdx\n"
                     "movq %%rdx, %c[late](%%rcx)\n"
                     "movq %%rax, %c[start](%%rcx,%%rdi)\n"
                     ".cfi_remember_state\n"
                     "2: pop %%rdi" POPPED "pop %%rcx" POPPED "pop %%rdx" POPPED "pop %%rax" POPPED "ret\n"
                     ".cfi_restore_state\n"
                     "1: push %%rsi" PUSHED "push %%r8" PUSHED "push %%r9" PUSHED "push %%r10" PUSHED
                     "movq %%rcx, %%r8\n"
                     "movq %%r11, %%rdi\n"
                     "leaq 64(%%rsp), %%rdx\n"
                     "movq 8(%%rdx), %%rsi\n"
                     "push %%r8" PUSHED "push %%r9" PUSHED "push %%rdi" PUSHED "push %%rdx" PUSHED "push %%rsi" PUSHED
                     "call callstack_enter_known\n"
                     "pop %%rsi" POPPED "pop %%rdx" POPPED "pop %%rdi" POPPED "pop %%r9" POPPED "pop %%r8" POPPED
                     "testb %%al, %%al\n"
                     "jnz 3f\n" CALL_APART("callstack_enter_counted") "3: pop %%r10" POPPED "pop %%r9" POPPED
                                                                      "pop %%r8" POPPED "pop %%rsi" POPPED "jmp 2b\n"
                     :
                     : OPERANDS);
}

/* With the clock's reading in rdx and the stack address in rax: accounts the frame of function r11, and goes on at 5;
 * or goes to 1, with the reading in rdx. rcx thread_state, rdi pos, rsi node. */
#define ACCOUNT                                                                                                        \
    "cmpq %%r11, %c[function](%%rcx,%%rdi)\n"                                                                          \
    "jne 1f\n"                                                                                                         \
    "cmpq %%rax, %c[sp](%%rcx,%%rdi)\n"                                                                                \
    "jne 1f\n"                                                                                                         \
    "cmpq %c[late](%%rcx), %%rdx\n"                                                                                    \
    "jae 1f\n"                                                                                                         \
    "leaq %c[span](%%rdx), %%rax\n"                                                                                    \
    "movq %%rax, %c[late](%%rcx)\n"                                                                                    \
    "movq %c[node](%%rcx,%%rdi), %%rsi\n"                                                                              \
    "movq %%rdx, %c[end](%%rcx,%%rdi)\n"                                                                               \
    "subq %c[start](%%rcx,%%rdi), %%rdx\n"                                                                             \
    "addq %%rdx, %c[raw](%%rsi)\n"                                                                                     \
    "shlq %[shift], %%rdx\n"                                                                                           \
    "subq %c[accumulated](%%rcx), %%rdx\n"                                                                             \
    "addq %c[overhead](%%rcx,%%rdi), %%rdx\n"                                                                          \
    "subq %c[own](%%rcx), %%rdx\n"                                                                                     \
    "movq %c[descendant](%%rcx), %%rax\n"                                                                              \
    "addq %%rax, %c[accumulated](%%rcx)\n"                                                                             \
    "incq %c[calls](%%rsi)\n"                                                                                          \
    "addq %%rdx, %c[compensated](%%rsi)\n" COUNT_BUCKET("rsi", "rdi")
#define RECORD RECORD_BUCKET("rsi", "call sled_slow_spread\njmp 6b\n")
#define READ_CLOCK                                                                                                     \
    "rdtsc\n"                                                                                                          \
    "shlq $32, %%rdx\n"                                                                                                \
    "orq %%rax, %%rdx\n"
#define FIND_THREAD                                                                                                    \
    "movq current_thread@GOTTPOFF(%%rip), %%rcx\n"                                                                     \
    "movq %%fs:(%%rcx), %%rcx\n"                                                                                       \
    "movq %c[pos](%%rcx), %%rdi\n"
/* callstack_exit(function, site, sp, thread_state, now) */
#define EXIT_SLOWLY                                                                                                    \
    "movq %%rdx, %%r8\n"                                                                                               \
    "movq %%rax, %%rdx\n"                                                                                              \
    "movq 8(%%rax), %%rsi\n"                                                                                           \
    "movq %%r11, %%rdi\n" CALL_APART("callstack_exit")

/* Of the registers that a call does not keep, a return needs rax and rdx. */
NAKED void sled_return_timed(void)
{
    __asm__ volatile("push %%rax" PUSHED "push %%rdx" PUSHED READ_CLOCK FIND_THREAD "leaq 8(%%rsp), %%rax\n" ACCOUNT
                     ".cfi_remember_state\n6: pop %%rdx" POPPED "pop %%rax" POPPED "ret\n.cfi_restore_state\n" RECORD
                     "1: " EXIT_SLOWLY "jmp 6b\n"
                     :
                     : OPERANDS);
}

/* In front of a tail call all its arguments are needed. */
static NAKED void sled_tail_timed(void)
{
    __asm__ volatile(PUSHED SAVE_ALL READ_CLOCK FIND_THREAD
                     "leaq 72(%%rsp), %%rax\n" ACCOUNT ".cfi_remember_state\n6: " RESTORE_ALL "pop %%r11" POPPED
                     "ret\n.cfi_restore_state\n" RECORD "1: " EXIT_SLOWLY "jmp 6b\n"
                     :
                     : OPERANDS);
}

/* --- first calls -----------------------------------------------------------------------------------------------------
 */

static NAKED void hook_enter_first_any(void)
{
    __asm__ volatile(FIRST("first_enter", "__cyg_profile_func_enter@PLT")::);
}

static NAKED void hook_exit_first_any(void)
{
    __asm__ volatile(FIRST("first_exit", "__cyg_profile_func_exit@PLT")::);
}

static NAKED void hook_exit_first_timed(void)
{
    __asm__ volatile(FIRST("first_exit", "hook_exit_timed")::);
}

static NAKED void hook_enter_first_timed(void)
{
    __asm__ volatile(FIRST("first_enter", "hook_enter_timed")::);
}

static NAKED void sled_first_any(void)
{
    __asm__ volatile(FIRST_SLED("sled_enter_any")::[unknown] "i"(FIRST_SLED_UNKNOWN));
}

static NAKED void sled_first_timed(void)
{
    __asm__ volatile(FIRST_SLED("sled_enter_timed")::[unknown] "i"(FIRST_SLED_UNKNOWN));
}

#define ADDRESS(function) ((uint64_t)(uintptr_t)(function))

const struct slot_probes *site_probes(enum probes kind)
{
    static struct slot_probes probes[3];
    probe_registers_start();
    probes[PROBES_ANY] = (struct slot_probes){
        ADDRESS(__cyg_profile_func_enter), ADDRESS(__cyg_profile_func_exit), ADDRESS(sled_enter_any),
        ADDRESS(sled_return_any),          ADDRESS(sled_tail_any),           ADDRESS(hook_enter_first_any),
        ADDRESS(hook_exit_first_any),      ADDRESS(sled_first_any)};
    probes[PROBES_TIMED] =
        (struct slot_probes){ADDRESS(hook_enter_timed),      ADDRESS(hook_exit_timed), ADDRESS(sled_enter_timed),
                             ADDRESS(sled_return_timed),     ADDRESS(sled_tail_timed), ADDRESS(hook_enter_first_timed),
                             ADDRESS(hook_exit_first_timed), ADDRESS(sled_first_timed)};
    probes[PROBES_TRACED] = (struct slot_probes){ADDRESS(hook_enter_traced),      ADDRESS(hook_exit_traced),
                                                 ADDRESS(sled_enter_traced),      ADDRESS(sled_return_traced),
                                                 ADDRESS(sled_tail_traced),       ADDRESS(hook_enter_first_traced),
                                                 ADDRESS(hook_exit_first_traced), ADDRESS(sled_first_traced)};
    return &probes[kind];
}

#else

const struct slot_probes *site_probes(enum probes kind)
{
    (void)kind;
    return NULL;
}

#endif
