/* Functions of libc that tell what the hooks cannot see: which call path created a thread, that a module was unloaded,
 * where coroutines have their stacks. Each calls the real one and keeps its results, errors and errno. Only in the
 * shared library (see jumps.c). */
#include "instrument/exported.h"
#include "profiler/functions.h"
#include "profiler/paths.h"
#include "profiler/shadow.h"
#include "profiler/spin.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <ucontext.h>

struct start {
    void *(*function)(void *);
    void *argument;
    uint64_t creator;
    struct start *next;
};

/* Not from malloc, which may be an instrumented function of the program. */
static struct start *unused_starts;
static struct spin starts_lock;

static struct start *start_new(void)
{
    if (!spin_try(&starts_lock))
        return NULL; /* the thread starts without a creator in the profile */
    struct start *start = unused_starts;
    if (start)
        unused_starts = start->next;
    spin_unlock(&starts_lock);
    return start ? start : private_memory(sizeof(*start));
}

static void start_free(struct start *start)
{
    if (!spin_try(&starts_lock))
        return; /* a cache line is lost */
    start->next = unused_starts;
    unused_starts = start;
    spin_unlock(&starts_lock);
}

static void *run_thread(void *argument)
{
    struct start start = *(struct start *)argument;
    start_free(argument);
    thread_set_creator(start.creator);
    return start.function(start.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    if (!next)
        return ENOSYS;
#ifdef __SANITIZE_THREAD__
    uint64_t creator = 0; /* its own wrapper has not prepared the thread when ours would run in it */
#else
    uint64_t creator = thread_active_node();
#endif
    struct start *start = creator ? start_new() : NULL;
    if (!start)
        return next(thread, attributes, function, argument);
    *start = (struct start){function, argument, creator, NULL};
    int failed = next(thread, attributes, run_thread, start);
    if (failed)
        start_free(start);
    return failed;
}

EXPORT int dlclose(void *handle)
{
    static int (*next)(void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
    int failed = next ? next(handle) : -1;
    if (store_header) {
        sigset_t saved;
        int kept = errno;
        signals_block(&saved);
        functions_drop_unloaded(paths_mark_gone);
        signals_restore(&saved);
        errno = kept;
    }
    return failed;
}

/* The assembler label keeps the variable arguments out of the way: they are passed on in registers and on the stack as
 * they came, by a tail jump. */
void context_known(const ucontext_t *context);

void context_known(const ucontext_t *context)
{
    shadow_know_stack((uint64_t)(uintptr_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}

void *context_real(void);

void *context_real(void)
{
    static void *next;
    if (!next)
        next = dlsym(RTLD_NEXT, "makecontext");
    return next;
}

#if defined(__x86_64__)
/* rdi context, rsi function, edx count, then arguments in rcx, r8, r9 and on the stack, all left as they are */
__asm__(".text\n.globl makecontext\n.type makecontext, @function\n.p2align 4\nmakecontext:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\n"
        "push %rsi\n.cfi_adjust_cfa_offset 8\n"
        "push %rdx\n.cfi_adjust_cfa_offset 8\n"
        "push %rcx\n.cfi_adjust_cfa_offset 8\n"
        "push %r8\n.cfi_adjust_cfa_offset 8\n"
        "push %r9\n.cfi_adjust_cfa_offset 8\n"
        "push %rax\n.cfi_adjust_cfa_offset 8\n"
        "call context_known\n"
        "call context_real\n"
        "mov %rax, %r11\n"
        "pop %rax\n.cfi_adjust_cfa_offset -8\n"
        "pop %r9\n.cfi_adjust_cfa_offset -8\n"
        "pop %r8\n.cfi_adjust_cfa_offset -8\n"
        "pop %rcx\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdx\n.cfi_adjust_cfa_offset -8\n"
        "pop %rsi\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "jmp *%r11\n"
        ".cfi_endproc\n.size makecontext, . - makecontext\n");
#endif
