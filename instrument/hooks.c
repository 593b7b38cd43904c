/* The hooks that -finstrument-functions calls: the repeated call, and the way to the rest. See profiler/hot.h.
 *
 * On x86-64 they are written in assembler: 45 instructions a call, two clock reads included, no register saved, and
 * every change that a nested hook could also make is one instruction. The C below says the same; it serves other
 * processors and builds with sanitizers. */
#include "instrument/exported.h"
#include "profiler/callstack.h"
#include "profiler/hot.h"

#include <stddef.h>

#if defined(__x86_64__) && !defined(PCOMP_FRAMED_HOOKS)

#define OPERANDS                                                                                                       \
    [pos] "i"(offsetof(struct hot, pos)), [accumulated] "i"(offsetof(struct hot, overhead)),                           \
        [own] "i"(offsetof(struct hot, own)), [descendant] "i"(offsetof(struct hot, descendant)),                      \
        [size] "i"(sizeof(struct pcomp_frame)), [function] "i"(offsetof(struct pcomp_frame, function)),                \
        [node] "i"(offsetof(struct pcomp_frame, node)), [sp] "i"(offsetof(struct pcomp_frame, sp)),                    \
        [overhead] "i"(offsetof(struct pcomp_frame, overhead)), [start] "i"(offsetof(struct pcomp_frame, start)),      \
        [end] "i"(offsetof(struct pcomp_frame, end)), [calls] "i"(offsetof(struct pcomp_node, calls)),                 \
        [raw] "i"(offsetof(struct pcomp_node, raw)), [compensated] "i"(offsetof(struct pcomp_node, compensated)),      \
        [min] "i"(offsetof(struct pcomp_node, min)), [max] "i"(offsetof(struct pcomp_node, max)),                      \
        [shift] "i"(PCOMP_FIX_SHIFT), [below] "i"(HOT_EXIT_BELOW), [reach] "i"(HOT_EXIT_BELOW + HOT_EXIT_ABOVE)

#define HOOK EXPORT __attribute__((naked, used))

HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);

/* r8 hot, r9 pos before; the frame to fill is at r8 + r9 + size. */
void __cyg_profile_func_enter(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile("movq hot_thread@GOTTPOFF(%%rip), %%rax\n"
                     "movq %%fs:(%%rax), %%r8\n"
                     "movq %c[pos](%%r8), %%r9\n"
                     "addq %[size], %c[pos](%%r8)\n" /* published before it is filled */
                     "cmpq %%rdi, %c[function]+%c[size](%%r8,%%r9)\n"
                     "jne 1f\n"
                     "cmpq %%rsp, %c[sp]+%c[size](%%r8,%%r9)\n"
                     "jne 1f\n"
                     "movq %c[accumulated](%%r8), %%rax\n"
                     "movq %%rax, %c[overhead]+%c[size](%%r8,%%r9)\n"
                     "rdtsc\n"
                     "shlq $32, %%rdx\n"
                     "orq %%rdx, %%rax\n"
                     "movq %%rax, %c[start]+%c[size](%%r8,%%r9)\n"
                     "ret\n"
                     "1: movq %%rsp, %%rdx\n"
                     "jmp callstack_enter\n"
                     :
                     : OPERANDS);
}

/* rdx now, then the ticks of the activation; rcx hot, r9 pos, r10 node */
void __cyg_profile_func_exit(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile("rdtsc\n"
                     "shlq $32, %%rdx\n"
                     "orq %%rax, %%rdx\n"
                     "movq hot_thread@GOTTPOFF(%%rip), %%rax\n"
                     "movq %%fs:(%%rax), %%rcx\n"
                     "movq %c[pos](%%rcx), %%r9\n"
                     "cmpq %%rdi, %c[function](%%rcx,%%r9)\n"
                     "jne 1f\n"
                     "leaq %c[below](%%rsp), %%rax\n"
                     "subq %c[sp](%%rcx,%%r9), %%rax\n"
                     "cmpq %[reach], %%rax\n"
                     "ja 1f\n"
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
                     "addq %%rdx, %c[compensated](%%r10)\n"
                     "cmpq %c[min](%%r10), %%rdx\n"
                     "jl 2f\n"
                     "3: cmpq %c[max](%%r10), %%rdx\n"
                     "jg 4f\n"
                     "5: subq %[size], %c[pos](%%rcx)\n"
                     "ret\n"
                     "1: movq %%rdx, %%r8\n"
                     "movq %%rsp, %%rdx\n"
                     "jmp callstack_exit\n"
                     "2: movq %%rdx, %c[min](%%r10)\n"
                     "jmp 3b\n"
                     "4: movq %%rdx, %c[max](%%r10)\n"
                     "jmp 5b\n"
                     :
                     : OPERANDS);
}

#else

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    uint64_t sp = HOT_SP();
    struct hot *h = hot_thread;
    uint64_t pos = h->pos;
    h->pos = pos + sizeof(struct pcomp_frame);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* published before it is filled */
    struct pcomp_frame *f = hot_frame(h, pos + sizeof(struct pcomp_frame));
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function || f->sp != sp, 0)) {
        callstack_enter((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, 0, h, pos);
        return;
    }
    f->overhead = h->overhead;
    f->start = hot_clock();
}

void __cyg_profile_func_exit(void *function, void *site)
{
    uint64_t now = hot_clock();
    uint64_t sp = HOT_SP();
    struct hot *h = hot_thread;
    struct pcomp_frame *f = hot_frame(h, h->pos);
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function ||
                             sp + HOT_EXIT_BELOW - f->sp > HOT_EXIT_BELOW + HOT_EXIT_ABOVE,
                         0)) {
        callstack_exit((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, h, now);
        return;
    }
    hot_account(h, f, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->pos -= sizeof(struct pcomp_frame);
}

#endif
