/* Functions of libc that tell what the hooks cannot see: that modules come and go, where coroutines have their stacks.
 * Each calls the real one and keeps its results, errors and errno. Only in the shared library (see jumps.c). */
#include "instrument/arguments.h"
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/module_code.h"
#include "profiler/control/sampler.h"
#include "profiler/process/forks.h"
#include "profiler/process/session.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <ucontext.h>
#include <unistd.h>

#define RETURN_WITHIN 65536u /* bytes behind a call */

bool call_frames_unloads_intercepted = true;

REAL(int, dlclose, (void *handle), (handle));

static void block(sigset_t *saved)
{
    signals_block(saved);
    sanitizer_ignores();
}

static void unblock(const sigset_t *saved)
{
    sanitizer_watches();
    signals_restore(saved);
}

static void drop_unloaded(void)
{
    sigset_t saved;
    int kept = errno;
    if (!store_header)
        return;
    block(&saved);
    functions_drop_unloaded(paths_mark_gone);
    trace_forget_functions();
    unblock(&saved);
    errno = kept;
}

EXPORT int dlclose(void *handle)
{
    sigset_t saved;
    int kept = errno;
    if (run_locked_in)
        return real_dlclose(handle);
    loaded_modules_change();
    if (trace_on) { /* what was called in it is known by address alone */
        block(&saved);
        functions_register_modules();
        unblock(&saved);
        errno = kept;
    }
    call_frames_unload(false);
    int failed = real_dlclose(handle);
    drop_unloaded();
    call_frames_unload(true);
    return failed;
}

/* The loader looks at the return address to know who asks, so it must be one in the calling module: that of a return
 * instruction there, behind which we go on. Where return addresses are checked (shadow stacks), the real function is
 * reached by a jump, and sleds of what it loads stay off until the next look. */
struct loading {
    void *next;       /* the real dlopen */
    uint64_t through; /* address of a return instruction of the caller's module; 0: none */
};
struct loading library_loading(uint64_t caller);
void library_loaded(void);

#if defined(__x86_64__)
static bool return_addresses_are_checked(void)
{
    uint64_t shadow = 0;
    __asm__ volatile("rdsspq %0" : "+r"(shadow)); /* a no-op where there is no such stack */
    return shadow != 0;
}
#endif

static uint64_t find_return(uint64_t caller)
{
#if defined(__x86_64__)
    struct module_code code;
    if (return_addresses_are_checked() || !module_code_find(caller, 0, 0, &code))
        return 0;
    /* the rest of the caller's function has one, or the next does */
    for (uint64_t at = caller; at < code.end && at < caller + RETURN_WITHIN; at++)
        if (*(const uint8_t *)(uintptr_t)at == 0xc3) // NOLINT(performance-no-int-to-ptr)
            return at;
#else
    (void)caller;
#endif
    return 0;
}

struct loading library_loading(uint64_t caller)
{
    static void *next;
    if (!next)
        next = real_function("dlopen", NULL);
    loaded_modules_change();
    trace_loads_library();
    return (struct loading){next, find_return(caller)};
}

void library_loaded(void)
{
    sigset_t saved;
    if (run_locked_in)
        return;
    drop_unloaded(); /* another thread may have unloaded what lay here, and not come to tell it yet */
    session_register_sleds();
    if (!sampler_signal())
        return;
    block(&saved);
    call_frames_register_all(); /* stacks go through it */
    unblock(&saved);
}

#if defined(__x86_64__)
__asm__(".text\n.globl dlopen\n.type dlopen, @function\n.p2align 4\ndlopen:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\n"
        "push %rsi\n.cfi_adjust_cfa_offset 8\n"
        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "mov 24(%rsp), %rdi\n"
        "call library_loading\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "pop %rsi\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "test %rdx, %rdx\n"
        "jnz 1f\n"
        "jmp *%rax\n"
        "1: lea 2f(%rip), %rcx\n"
        "push %rcx\n.cfi_adjust_cfa_offset 8\n"
        "push %rdx\n.cfi_adjust_cfa_offset 8\n"
        "jmp *%rax\n"
        ".cfi_adjust_cfa_offset -16\n"
        "nop\n"
        "2: push %rax\n.cfi_adjust_cfa_offset 8\n"
        "call library_loaded\n"
        "pop %rax\n.cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n.size dlopen, . - dlopen\n");
#endif

/* The handlers of pthread_atfork do not run around it. */
REAL(pid_t, _Fork, (void), ());

EXPORT pid_t _Fork(void)
{
    sigset_t saved;
    if (run_locked_in)
        return real__Fork();
    signals_block(&saved);
    if (store_header)
        forks_before();
    pid_t child = real__Fork();
    int kept = errno;
    if (child == 0)
        forks_in_child();
    else if (store_header)
        forks_after();
    signals_restore(&saved);
    errno = kept;
    return child;
}

/* The assembler label keeps the variable arguments out of the way: they are passed on in registers and on the stack as
 * they came, by a tail jump. */
void context_known(const ucontext_t *context);

void context_known(const ucontext_t *context)
{
    shadow_register_stack((uint64_t)(uintptr_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}

void *context_real(void);

void *context_real(void)
{
    static void *next;
    if (!next)
        next = real_function("makecontext", NULL);
    return next;
}

#if defined(__x86_64__)
/* rdi context, rsi function, edx count, then arguments in rcx, r8, r9 and on the stack, all left as they are */
__asm__(".text\n.globl makecontext\n.type makecontext, @function\n.p2align 4\nmakecontext:\n"
        ".cfi_startproc\n"
        "endbr64\n" PUSH_ARGUMENTS "push %rax\n.cfi_adjust_cfa_offset 8\n"
        "call context_known\n"
        "call context_real\n"
        "mov %rax, %r11\n"
        "pop %rax\n.cfi_adjust_cfa_offset -8\n" POP_ARGUMENTS "jmp *%r11\n"
        ".cfi_endproc\n.size makecontext, . - makecontext\n");
#endif
