#include "profiler/base/own_stack.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_state.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#define SIZE  (256u << 10) /* PAPI and libunwind are loaded on it; what is not touched takes no memory */
#define GUARD 4096u

static struct spin lock;
static char *unused; /* tops of stacks; below each, the next */
static __thread char *own __attribute__((tls_model("initial-exec")));
static __thread uint64_t left_at __attribute__((tls_model("initial-exec"))); /* the program's stack pointer */
static __thread uint64_t entered __attribute__((tls_model("initial-exec"))); /* tick; 0: not known */
/* What the last change of the signal mask took, and the shorter of the last two: in one a thread may lose its
 * processor. */
static __thread uint64_t mask_took __attribute__((tls_model("initial-exec")));
static __thread uint64_t mask_ticks __attribute__((tls_model("initial-exec")));

#define LINK(top) (((char **)(void *)(top))[-1])

/* Signals blocked. */
static char *make(void)
{
    spin_lock(&lock);
    char *top = unused;
    if (top)
        unused = LINK(top);
    spin_unlock(&lock);
    if (top)
        return top;
    long memory = raw_call6(SYS_mmap, 0, SIZE + GUARD, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory < 0 && memory > -4096)
        return NULL;
    raw_call(SYS_mprotect, memory, GUARD, PROT_NONE, 0);
    return (char *)(uintptr_t)((uint64_t)memory + GUARD + SIZE); // NOLINT(performance-no-int-to-ptr)
}

static uint64_t faults(void)
{
    return UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGFPE - 1) |
           UINT64_C(1) << (SIGILL - 1) | UINT64_C(1) << (SIGTRAP - 1);
}

uint64_t own_stack_enter(uint64_t *mask)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), all = ~faults();
    if (own && (uint64_t)(uintptr_t)own - here < SIZE)
        return 0;                                        /* mode exact unwinds the program's stack from where it is */
    bool counts = config.clock != PCOMP_CLOCK_MONOTONIC; /* that is read by a call, which needs stack */
    const struct thread_state *h = current_thread;
    struct slow_start start = {0};
    if (counts)
        start = slow_start_read(h);
    raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)&all, (long)(uintptr_t)mask, sizeof(*mask));
    sanitizer_delivers();
    if (!own)
        own = make();
    if (!own)
        own_stack_leave(mask);
    left_at = here;
    entered = counts ? slow_start_tick(&start, h) : 0;
    uint64_t took = counts ? clock_read(config.clock) - start.tick : 0;
    mask_ticks = took < mask_took ? took : mask_took;
    mask_took = took;
    return own ? (uint64_t)(uintptr_t)own - 64 : 0;
}

uint64_t own_stack_entered(void)
{
    return own_stack_top() ? entered : 0;
}

void own_stack_enter_anew(uint64_t now)
{
    entered = now;
}

uint64_t own_stack_top(void)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return own && (uint64_t)(uintptr_t)own - here < SIZE ? (uint64_t)(uintptr_t)own : 0;
}

bool own_stack_holds(uint64_t address)
{
    return own && (uint64_t)(uintptr_t)own - address < SIZE;
}

uint64_t own_stack_program(void)
{
    return own_stack_top() ? left_at : (uint64_t)(uintptr_t)__builtin_frame_address(0);
}

/* A frame must be started before signals are let in: their handlers run at once, and may jump away. So the restored
 * mask is taken to last as long as the other change of it. */
void own_stack_leave(const uint64_t *mask)
{
    struct thread_state *h = current_thread;
    if (h->unstarted.frame) {
        frame_start_slow(h, &h->unstarted, clock_read(config.clock), mask_ticks);
        h->unstarted.frame = NULL;
    }
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)mask, 0, sizeof(*mask));
    if (h->off_cpu.rests_until > h->late_at) /* else this would make the next event late where system calls are slow */
        h->late_at = clock_read(config.clock) + LATE_TICKS;
}

void own_stack_switch(uint64_t to, void (*work)(void *argument), void *argument);
__asm__(".text\n.globl own_stack_switch\n.hidden own_stack_switch\n.type own_stack_switch, @function\n.p2align 4\n"
        "own_stack_switch:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        "mov %rdi, %rsp\n"
        "mov %rdx, %rdi\n"
        "call *%rsi\n"
        "mov %rbp, %rsp\n.cfi_def_cfa_register %rsp\n"
        "pop %rbp\n.cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n.size own_stack_switch, . - own_stack_switch\n");

void own_stack_run(void (*work)(void *argument), void *argument)
{
    uint64_t mask, to = own_stack_enter(&mask);
    if (!to) {
        work(argument);
        return;
    }
    own_stack_switch(to, work, argument);
    own_stack_leave(&mask);
}

void own_stack_free(void)
{
    if (!own)
        return;
    uint64_t all = ~faults(), mask;
    raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)(uintptr_t)&all, (long)(uintptr_t)&mask, sizeof(mask));
    char *top = own;
    own = NULL;
    spin_lock(&lock);
    LINK(top) = unused;
    unused = top;
    spin_unlock(&lock);
    own_stack_leave(&mask);
}

void own_stack_forget(void)
{
    lock.taken = 0;
    unused = NULL;
}

#else

uint64_t own_stack_enter(uint64_t *mask)
{
    (void)mask;
    return 0;
}

void own_stack_leave(const uint64_t *mask)
{
    (void)mask;
}

void own_stack_run(void (*work)(void *argument), void *argument)
{
    work(argument);
}

uint64_t own_stack_entered(void)
{
    return 0;
}

void own_stack_enter_anew(uint64_t now)
{
    (void)now;
}

uint64_t own_stack_top(void)
{
    return 0;
}

bool own_stack_holds(uint64_t address)
{
    (void)address;
    return false;
}

uint64_t own_stack_program(void)
{
    return (uint64_t)(uintptr_t)__builtin_frame_address(0);
}

void own_stack_free(void) {}

void own_stack_forget(void) {}

#endif
