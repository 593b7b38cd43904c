/* longjmp and C++ exceptions leave functions without running their exit hooks. The depth of the shadow stack is kept at
 * setjmp by wrappers that tail-jump to the real function (a frame of theirs would be gone when setjmp returns again),
 * and restored at longjmp; a catch clause tells by its stack address which activations are gone. Only in the shared
 * library: a static one cannot reach the functions that it would replace, and relies on stack addresses alone. */
#include "instrument/jumps.h"

#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "profiler/base/private_memory.h"
#include "profiler/hooks/callstack.h"

#include <stddef.h>

#define MARKS 1024 /* a thread's most recent setjmp by address of its jmp_buf */

struct mark {
    const void *buffer;
    uint64_t depth;
};

static struct mark *mark_of(const void *buffer)
{
    struct thread_state *h = current_thread;
    if (h->self != h)
        return NULL;
    if (!h->jumps)
        h->jumps = private_memory(MARKS * sizeof(struct mark));
    uint64_t hash = ((uint64_t)(uintptr_t)buffer >> 3) * 0x9e3779b97f4a7c15u;
    return h->jumps ? (struct mark *)h->jumps + (hash >> 54) : NULL;
}

__thread bool jumps_unmarked;

/* Called by the wrappers; returns the real function. `sp`: as hooks called there have it. */
__attribute__((used)) void *jump_mark(const void *buffer, unsigned which, uint64_t sp);

static const char *const names[] = {"setjmp", "_setjmp", "__sigsetjmp"};
static void *reals[3];

void *jump_mark(const void *buffer, unsigned which, uint64_t sp)
{
    struct mark *m = jumps_unmarked ? NULL : mark_of(buffer);
    if (m) {
        m->buffer = buffer;
        m->depth = callstack_depth(sp);
    }
    if (!reals[which])
        reals[which] = real_function(names[which], NULL);
    return reals[which];
}

#if defined(__x86_64__)
#define WRAP(name, which)                                                                                              \
    __asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n"                               \
            ".cfi_startproc\n"                                                                                         \
            "endbr64\n"                                                                                                \
            "push %rdi\n.cfi_adjust_cfa_offset 8\n"                                                                    \
            "push %rsi\n.cfi_adjust_cfa_offset 8\n"                                                                    \
            "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                                                 \
            "mov $" #which ", %esi\n"                                                                                  \
            "lea 24(%rsp), %rdx\n"                                                                                     \
            "call jump_mark\n"                                                                                         \
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                                                \
            "pop %rsi\n.cfi_adjust_cfa_offset -8\n"                                                                    \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\n"                                                                    \
            "jmp *%rax\n"                                                                                              \
            ".cfi_endproc\n.size " name ", . - " name "\n")
#elif defined(__aarch64__)
#define WRAP(name, which)                                                                                              \
    __asm__(".text\n.globl " name "\n.type " name ", %function\n.p2align 4\n" name ":\n"                               \
            ".cfi_startproc\n"                                                                                         \
            "stp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n"                                                   \
            "stp x0, x1, [sp, #16]\n"                                                                                  \
            "mov w1, #" #which "\n"                                                                                    \
            "add x2, sp, #32\n"                                                                                        \
            "bl jump_mark\n"                                                                                           \
            "mov x16, x0\n"                                                                                            \
            "ldp x0, x1, [sp, #16]\n"                                                                                  \
            "ldp x29, x30, [sp], #32\n.cfi_adjust_cfa_offset -32\n"                                                    \
            "br x16\n"                                                                                                 \
            ".cfi_endproc\n.size " name ", . - " name "\n")
#endif

WRAP("setjmp", 0);
WRAP("_setjmp", 1);
WRAP("__sigsetjmp", 2);

static void restore(const void *buffer)
{
    struct mark *m = mark_of(buffer);
    if (m && m->buffer == buffer)
        callstack_restore(m->depth);
}

typedef void jump_function(void *buffer, int value);

/* Named by assembler labels: the compilers know functions of these names, with other types. */
#define WRAP_JUMP(name)                                                                                                \
    EXPORT void jump_by_##name(void *buffer, int value) __asm__(#name) __attribute__((noreturn));                      \
    void jump_by_##name(void *buffer, int value)                                                                       \
    {                                                                                                                  \
        static jump_function *next;                                                                                    \
        if (!next)                                                                                                     \
            *(void **)&next = real_function(#name, NULL);                                                              \
        restore(buffer);                                                                                               \
        next(buffer, value);                                                                                           \
        __builtin_unreachable();                                                                                       \
    }

WRAP_JUMP(longjmp)
WRAP_JUMP(_longjmp)
WRAP_JUMP(siglongjmp)
WRAP_JUMP(__longjmp_chk)

/* The catch clause runs in the function that catches: what lies below its stack address is gone. */
EXPORT void *__cxa_begin_catch(void *exception);

void *__cxa_begin_catch(void *exception)
{
    static void *(*next)(void *);
    if (!next)
        *(void **)&next = real_function("__cxa_begin_catch", NULL);
    callstack_caught(HOOK_SP());
    return next(exception);
}
