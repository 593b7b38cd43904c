/* The hooks that -finstrument-functions calls: the call that is only counted, the repeated call that is timed, and the
 * way to the rest. See profiler/base/thread_state.h.
 *
 * On x86-64 they are written in assembler: no register is saved, and every change that a nested hook could also make is
 * one instruction. The C below says the same; it serves other processors and builds with sanitizers. */
#include "instrument/exported.h"
#include "instrument/record_text.h"
#include "instrument/spread_text.h"
#include "profiler/base/thread_state.h"
#include "profiler/hooks/callstack.h"
#include "profiler/record/spreads.h"
#include "profiler/stack/paths.h"
#include "profiler/trace/trace_record.h"

#include <stddef.h>

#if defined(__x86_64__) && !defined(PCOMP_FRAMED_HOOKS)

#define OPERANDS                                                                                                       \
    [pos] "i"(offsetof(struct thread_state, pos)), [accumulated] "i"(offsetof(struct thread_state, overhead)),         \
        [size] "i"(sizeof(struct timed_frame)), [function] "i"(offsetof(struct pcomp_frame, function)),                \
        [node] "i"(offsetof(struct pcomp_frame, node)), [sp] "i"(offsetof(struct pcomp_frame, sp)),                    \
        [overhead] "i"(offsetof(struct pcomp_frame, overhead)), [start] "i"(offsetof(struct pcomp_frame, start)),      \
        [budget] "i"(offsetof(struct thread_state, budget)), [saved] "i"(offsetof(struct thread_state, saved_pos)),    \
        [cursor] "i"(offsetof(struct thread_state, trace_cursor)),                                                     \
        [end_of_trace] "i"(offsetof(struct thread_state, trace_limit))
#define ENTER_OPERANDS                                                                                                 \
    OPERANDS, [low] "i"(offsetof(struct thread_state, low)), [limit] "i"(offsetof(struct thread_state, limit)),        \
        [table] "i"(offsetof(struct thread_state, counted)),                                                           \
        [tableshift] "i"(offsetof(struct thread_state, counted_shift)),                                                \
        [base] "i"(offsetof(struct thread_state, base)), [parent] "i"(offsetof(struct pcomp_node, parent)),            \
        [rotate] "i"(PATH_ROTATE), [multiply] "i"(PATH_MULTIPLY), [enter_bit] "i"(TRACE_ENTER_BIT),                    \
        [skip_bit] "i"(FRAME_SKIP_SHIFT)
#define EXIT_OPERANDS                                                                                                  \
    OPERANDS, [own] "i"(offsetof(struct thread_state, own)),                                                           \
        [descendant] "i"(offsetof(struct thread_state, descendant)), [end] "i"(offsetof(struct pcomp_frame, end)),     \
        [calls] "i"(offsetof(struct pcomp_node, calls)), [raw] "i"(offsetof(struct pcomp_node, raw)),                  \
        [compensated] "i"(offsetof(struct pcomp_node, compensated)), SPREAD_OPERANDS, [shift] "i"(PCOMP_FIX_SHIFT),    \
        [below] "i"(EXIT_SP_BELOW), [reach] "i"(EXIT_SP_BELOW + EXIT_SP_ABOVE), [exit_bit] "i"(TRACE_EXIT_BIT)

/* Size of a frame of a trace: an asm statement takes 30 operands. */
#define SUPPRESSED "48"
_Static_assert(sizeof(struct pcomp_frame) == 48, "SUPPRESSED");

#define HOOK EXPORT __attribute__((naked, used))

HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);
void sled_hook_enter(void);
void sled_hook_exit(void);

/* r8 thread_state, r9 pos before, where calls are counted: the frame to fill is at r8 + r9 + size. Else its own pos.
 * Counted: r10 the parent's path, rdx the node; from 2 on rdi is the function of a filtered one. An empty entry leads
 * to the file's header, whose first word is no function. */
#define ENTER_TEXT(slow, sp)                                                                                           \
    "movq current_thread@GOTTPOFF(%%rip), %%rax\n"                                                                     \
    "movq %%fs:(%%rax), %%r8\n"                                                                                        \
    "decq %c[budget](%%r8)\n"                                                                                          \
    "js 5f\n"                                                                                                          \
    "movq %c[saved](%%r8), %%r9\n"                                                                                     \
    "movq %c[start](%%r8,%%r9), %%r10\n"                                                                               \
    "testq %%r10, %%r10\n" /* unfinished */                                                                            \
    "je 8f\n"                                                                                                          \
    "cmpq " sp ", %c[sp](%%r8,%%r9)\n"                                                                                 \
    "jb 9f\n"                                                                                                          \
    "cmpq " sp ", %c[low](%%r8)\n"                                                                                     \
    "ja 8f\n"                                                                                                          \
    "cmpq %%r9, %c[limit](%%r8)\n"                                                                                     \
    "jbe 8f\n"                                                                                                         \
    "movq %c[tableshift](%%r8), %%rcx\n" /* before the table (profiler/stack/paths.h) */                               \
    "movq %%r10, %%rdx\n"                                                                                              \
    "rolq %[rotate], %%rdx\n"                                                                                          \
    "xorq %%rdi, %%rdx\n"                                                                                              \
    "movabsq %[multiply], %%rax\n"                                                                                     \
    "imulq %%rax, %%rdx\n"                                                                                             \
    "shrq %%cl, %%rdx\n"                                                                                               \
    "movq %c[table](%%r8), %%rax\n"                                                                                    \
    "leaq (%%rax,%%rdx,4), %%rcx\n"                                                                                    \
    "movl (%%rcx), %%edx\n"                                                                                            \
    "shlq $6, %%rdx\n"                                                                                                 \
    "addq %c[base](%%r8), %%rdx\n"                                                                                     \
    "cmpq %%rdi, (%%rdx)\n"                                                                                            \
    "jne 6f\n"                                                                                                         \
    "cmpq %%r10, %c[parent](%%rdx)\n"                                                                                  \
    "jne 6f\n"                                                                                                         \
    "7: movl $" SUPPRESSED ", %%eax\n"                                                                                 \
    "xaddq %%rax, %c[saved](%%r8)\n" /* published before it is filled; a handler may have moved it */                  \
    "movq %%rdi, %c[function]+" SUPPRESSED "(%%r8,%%rax)\n"                                                            \
    "movq %%rdx, %c[node]+" SUPPRESSED "(%%r8,%%rax)\n"                                                                \
    "movq " sp ", %c[sp]+" SUPPRESSED "(%%r8,%%rax)\n"                                                                 \
    "movq %%rdx, %c[start]+" SUPPRESSED "(%%r8,%%rax)\n"                                                               \
    "ret\n"                                                                                                            \
    "6: xorq $4, %%rcx\n" /* the other entry of the pair */                                                            \
    "movl (%%rcx), %%edx\n"                                                                                            \
    "shlq $6, %%rdx\n"                                                                                                 \
    "addq %c[base](%%r8), %%rdx\n"                                                                                     \
    "cmpq %%rdi, (%%rdx)\n"                                                                                            \
    "jne 2f\n"                                                                                                         \
    "cmpq %%r10, %c[parent](%%rdx)\n"                                                                                  \
    "je 7b\n"                                                                                                          \
    "2: btsq %[skip_bit], %%rdi\n" /* or it is filtered: the other entry of the pair comes first */                    \
    "cmpq %%rdi, (%%rdx)\n"                                                                                            \
    "jne 3f\n"                                                                                                         \
    "cmpq %%r10, %c[parent](%%rdx)\n"                                                                                  \
    "jne 3f\n"                                                                                                         \
    "4: btrq %[skip_bit], %%rdi\n"                                                                                     \
    "movl $" SUPPRESSED ", %%eax\n"                                                                                    \
    "xaddq %%rax, %c[saved](%%r8)\n"                                                                                   \
    "movq %%rdi, %c[function]+" SUPPRESSED "(%%r8,%%rax)\n"                                                            \
    "movq %%rdx, %c[node]+" SUPPRESSED "(%%r8,%%rax)\n"                                                                \
    "movq " sp ", %c[sp]+" SUPPRESSED "(%%r8,%%rax)\n"                                                                 \
    "movq %%r10, %c[start]+" SUPPRESSED "(%%r8,%%rax)\n" /* what it calls goes on below the parent */                  \
    "ret\n"                                                                                                            \
    "3: xorq $4, %%rcx\n"                                                                                              \
    "movl (%%rcx), %%edx\n"                                                                                            \
    "shlq $6, %%rdx\n"                                                                                                 \
    "addq %c[base](%%r8), %%rdx\n"                                                                                     \
    "cmpq %%rdi, (%%rdx)\n"                                                                                            \
    "jne 10f\n"                                                                                                        \
    "cmpq %%r10, %c[parent](%%rdx)\n"                                                                                  \
    "je 4b\n"                                                                                                          \
    "10: btrq %[skip_bit], %%rdi\n" RECORD_TEXT(                                                                       \
        "8", "9", "end_of_trace",                                                                                      \
        "enter_bit") "ret\n"                                                                                           \
                     "9: movq " sp ", %%rdx\n"                                                                         \
                     "jmp " slow "\n"                                                                                  \
                     "5: addq %[size], %c[pos](%%r8)\n" /* published before it is filled, and */                       \
                     "movq %c[pos](%%r8), %%r9\n"       /* read then: a handler before may move it */                  \
                     "cmpq %%rdi, %c[function](%%r8,%%r9)\n"                                                           \
                     "jne 1f\n"                                                                                        \
                     "cmpq " sp ", %c[sp](%%r8,%%r9)\n"                                                                \
                     "jne 1f\n"                                                                                        \
                     "movq %c[accumulated](%%r8), %%rax\n"                                                             \
                     "movq %%rax, %c[overhead](%%r8,%%r9)\n"                                                           \
                     "rdtsc\n"                                                                                         \
                     "shlq $32, %%rdx\n"                                                                               \
                     "orq %%rdx, %%rax\n"                                                                              \
                     "movq %%rax, %c[start](%%r8,%%r9)\n"                                                              \
                     "ret\n"                                                                                           \
                     "1: movq " sp ", %%rdx\n"                                                                         \
                     "jmp " slow "\n"

void __cyg_profile_func_enter(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(ENTER_TEXT("callstack_enter", "%%rsp") : : ENTER_OPERANDS);
}

/* The same for sleds: what is behind the quick way saves more registers (instrument/probes/probes.c). r11: the stack
 * address, just below the return address of the function, so that regions and hooks of what it calls lie below. */
__attribute__((naked, used)) void sled_hook_enter(void)
{
    __asm__ volatile(ENTER_TEXT("sled_slow_enter", "%%r11") : : ENTER_OPERANDS);
}

/* rcx thread_state, r9 pos, r10 node. Timed: rdx now, then the ticks of the activation. */
#define EXIT_ACCOUNT(sp)                                                                                               \
    "movq current_thread@GOTTPOFF(%%rip), %%rax\n"                                                                     \
    "movq %%fs:(%%rax), %%rcx\n"                                                                                       \
    "decq %c[budget](%%rcx)\n"                                                                                         \
    "js 6f\n"                                                                                                          \
    "movq %c[saved](%%rcx), %%r9\n"                                                                                    \
    "cmpq %%rdi, %c[function](%%rcx,%%r9)\n"                                                                           \
    "jne 7f\n"                                                                                                         \
    "cmpq $0, %c[start](%%rcx,%%r9)\n" /* unfinished: what it says is of an older activation */                        \
    "je 8f\n"                                                                                                          \
    "leaq %c[below](" sp "), %%rax\n"                                                                                  \
    "subq %c[sp](%%rcx,%%r9), %%rax\n"                                                                                 \
    "cmpq %[reach], %%rax\n"                                                                                           \
    "ja 8f\n"                                                                                                          \
    "movq %c[node](%%rcx,%%r9), %%r10\n"                                                                               \
    "incq %c[calls](%%r10)\n" /* first: a handler that jumps out behind it leaves no call uncounted */                 \
    "movq $0, %c[start](%%rcx,%%r9)\n"                                                                                 \
    "subq $" SUPPRESSED ", %c[saved](%%rcx)\n"                                                                         \
    "ret\n"                                                                                                            \
    "6: rdtsc\n"                                                                                                       \
    "shlq $32, %%rdx\n"                                                                                                \
    "orq %%rax, %%rdx\n"                                                                                               \
    "movq %c[pos](%%rcx), %%r9\n"                                                                                      \
    "cmpq %%rdi, %c[function](%%rcx,%%r9)\n"                                                                           \
    "jne 1f\n"                                                                                                         \
    "leaq %c[below](" sp "), %%rax\n"                                                                                  \
    "subq %c[sp](%%rcx,%%r9), %%rax\n"                                                                                 \
    "cmpq %[reach], %%rax\n"                                                                                           \
    "ja 1f\n"                                                                                                          \
    "movq %c[node](%%rcx,%%r9), %%r10\n"                                                                               \
    "movq %%rdx, %c[end](%%rcx,%%r9)\n"                                                                                \
    "subq %c[start](%%rcx,%%r9), %%rdx\n"                                                                              \
    "addq %%rdx, %c[raw](%%r10)\n"                                                                                     \
    "shlq %[shift], %%rdx\n"                                                                                           \
    "subq %c[accumulated](%%rcx), %%rdx\n"                                                                             \
    "addq %c[overhead](%%rcx,%%r9), %%rdx\n"                                                                           \
    "subq %c[own](%%rcx), %%rdx\n"                                                                                     \
    "movq %c[descendant](%%rcx), %%rax\n"                                                                              \
    "addq %%rax, %c[accumulated](%%rcx)\n"                                                                             \
    "incq %c[calls](%%r10)\n"                                                                                          \
    "addq %%rdx, %c[compensated](%%r10)\n"
#define EXIT_OTHERS(slow, sp)                                                                                          \
    "ret\n"                                                                                                            \
    "1: movq %%rdx, %%r8\n"                                                                                            \
    "8: movq " sp ", %%rdx\n"                                                                                          \
    "jmp " slow "\n"                                                                                                   \
    "7: movq %c[cursor](%%rcx), %%r8\n"                                                                                \
    "cmpq %c[end_of_trace](%%rcx), %%r8\n"                                                                             \
    "jae 8b\n"                                                                                                         \
    "rdtsc\n"                                                                                                          \
    "shlq $32, %%rdx\n"                                                                                                \
    "orq %%rax, %%rdx\n"                                                                                               \
    "movq %%r8, %%rax\n"                                                                                               \
    "leaq 16(%%r8), %%r9\n"                                                                                            \
    "cmpxchgq %%r9, %c[cursor](%%rcx)\n"                                                                               \
    "jne 7b\n"                                                                                                         \
    "btsq %[exit_bit], %%rdi\n"                                                                                        \
    "movq %%rdx, (%%r8)\n"                                                                                             \
    "movq %%rdi, 8(%%r8)\n"                                                                                            \
    "ret\n"
#define EXIT_TEXT(slow, resolve, sp)                                                                                   \
    EXIT_ACCOUNT(sp) COUNT_BUCKET("r10", "r9") EXIT_OTHERS(slow, sp) RECORD_BUCKET("r10", "jmp " resolve "\n")

void __cyg_profile_func_exit(void *function __attribute__((unused)), void *site __attribute__((unused)))
{
    __asm__ volatile(EXIT_TEXT("callstack_exit", "spread_exit_hook", "%%rsp") : : EXIT_OPERANDS);
}

__attribute__((naked, used)) void sled_hook_exit(void)
{
    __asm__ volatile(EXIT_TEXT("sled_slow_exit", "sled_slow_spread", "%%r11") : : EXIT_OPERANDS);
}

#else

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* In one step: a handler counts in between, and may plan anew how many events there are until the next look. */
static inline bool takes_budget(struct thread_state *h)
{
    return __atomic_sub_fetch(&h->budget, 1, __ATOMIC_RELAXED) >= 0;
}

static inline bool is_node_of(const struct pcomp_node *node, uint64_t function, uint64_t parent)
{
    return node->function == function && node->parent == parent;
}

static inline bool enter_counted(uint64_t function, uint64_t sp, struct thread_state *h)
{
    uint64_t pos = h->saved_pos, shift = h->counted_shift;
    const struct pcomp_frame *top = thread_frame(h, pos);
    if (top->start == 0 || top->sp < sp || h->low > sp || h->limit <= pos)
        return false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the shift before the table (profiler/stack/paths.h) */
    const uint32_t *table = (const uint32_t *)(uintptr_t)h->counted;
    uint64_t parent = top->start, slot = path_slot(parent, function, shift), path;
    const struct pcomp_node *one = path_node(h, table[slot]), *other = path_node(h, table[slot ^ 1]), *node;
    if (is_node_of(node = one, function, parent) || is_node_of(node = other, function, parent))
        path = (uint64_t)(uintptr_t)node;
    else if (is_node_of(node = other, function | FRAME_SKIP_BIT, parent) ||
             is_node_of(node = one, function | FRAME_SKIP_BIT, parent))
        path = parent;
    else
        return false;
    h->saved_pos += sizeof(*top);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* published before it is filled; a handler may have moved it before */
    struct pcomp_frame *f = thread_frame(h, h->saved_pos);
    f->function = function;
    frame_set_node(f, node);
    f->sp = sp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->start = path;
    return true;
}

/* Frames were left by a jump, or are not of the thread's own stack: not for the quick way. */
static inline bool enter_strays(uint64_t sp, const struct thread_state *h)
{
    const struct pcomp_frame *top = thread_frame(h, h->saved_pos);
    return top->start && top->sp < sp;
}

static inline bool exit_strays(uint64_t function, const struct thread_state *h)
{
    return thread_frame(h, h->saved_pos)->function == function;
}

static inline bool exit_counted(uint64_t function, uint64_t sp, struct thread_state *h)
{
    struct pcomp_frame *f = thread_frame(h, h->saved_pos);
    if (f->function != function || f->start == 0 || sp + EXIT_SP_BELOW - f->sp > EXIT_SP_BELOW + EXIT_SP_ABOVE)
        return false; /* or unfinished: what it says is of an older activation */
    __atomic_fetch_add(&frame_node(f)->calls, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->saved_pos -= sizeof(*f);
    return true;
}

/* At the stack address `sp`: that of a sled is not the hook's own (instrument/probes/probes.c). */
void hook_enter_at(void *function, void *site, uint64_t sp);
void hook_exit_at(void *function, void *site, uint64_t sp);

void hook_enter_at(void *function, void *site, uint64_t sp)
{
    struct thread_state *h = current_thread;
    if (takes_budget(h)) {
        if (!enter_counted((uint64_t)(uintptr_t)function, sp, h) &&
            (enter_strays(sp, h) || !trace_short(h, UINT64_C(1) << TRACE_ENTER_BIT | (uint64_t)(uintptr_t)function)))
            callstack_enter((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, 0, h);
        return;
    }
    uint64_t pos = thread_publish(&h->pos, sizeof(struct timed_frame));
    struct pcomp_frame *f = thread_frame(h, pos + sizeof(struct timed_frame));
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function || f->sp != sp, 0)) {
        callstack_enter((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, 0, h);
        return;
    }
    f->overhead = h->overhead;
    frame_start(f, clock_ticks());
}

void hook_exit_at(void *function, void *site, uint64_t sp)
{
    struct thread_state *h = current_thread;
    if (takes_budget(h)) {
        if (!exit_counted((uint64_t)(uintptr_t)function, sp, h) &&
            (exit_strays((uint64_t)(uintptr_t)function, h) ||
             !trace_short(h, UINT64_C(1) << TRACE_EXIT_BIT | (uint64_t)(uintptr_t)function)))
            callstack_exit((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, h, 0);
        return;
    }
    uint64_t now = clock_ticks();
    struct pcomp_frame *f = thread_frame(h, h->pos);
    if (__builtin_expect(f->function != (uint64_t)(uintptr_t)function ||
                             sp + EXIT_SP_BELOW - f->sp > EXIT_SP_BELOW + EXIT_SP_ABOVE,
                         0)) {
        callstack_exit((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, sp, h, now);
        return;
    }
    frame_account(h, f, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->pos -= sizeof(struct timed_frame);
}

void __cyg_profile_func_enter(void *function, void *site)
{
    hook_enter_at(function, site, HOOK_SP());
}

void __cyg_profile_func_exit(void *function, void *site)
{
    hook_exit_at(function, site, HOOK_SP());
}

#endif
