#include "profiler/control/sampler.h"

#include "profiler/clock.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/control/levels.h"
#include "profiler/control/perf_ring.h"
#include "profiler/control/stack_samples.h"
#include "profiler/raw_call.h"
#include "profiler/session.h"
#include "profiler/shadow.h"
#include "profiler/spin.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>

#define PERIOD_NS      997331u /* of a thread's processor time; a sample stands for as many as fit into a tick */
#define FRAMES_MOST    160u
#define STACK_SIZE     65536u /* of the handler */
#define DELIVERY_TRIES 9
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which handles signals itself, later */
#define SUPPORTED true
#else
#define SUPPORTED false
#endif
#define NO_TIMER (-1)

/* A thread's; serves another one when it has ended. */
struct thread_sampler {
    struct stack_samples samples;
    struct perf_ring ring;
    int32_t tid;                        /* of the thread that has the timer */
    int32_t timer;                      /* of the kernel; NO_TIMER: none. Who takes it out deletes it. */
    struct thread_sampler *next;        /* unused one */
    struct thread_sampler *made_before; /* of all */
    struct stack_place places[FRAMES_MOST + 1];
    _Alignas(64) char stack[];
};

static struct spin lock;
static struct thread_sampler *unused;
static struct thread_sampler *all; /* only grows; read without the lock */
static bool on;
static int signal_number;
static uint64_t own_start, own_end; /* the code of this library; 0: it is part of the program's */
static __thread struct thread_sampler *own __attribute__((tls_model("initial-exec")));

/* Where the stack of the handler begins in the calling thread; NULL: it stays where it is. */
__thread char *sampler_stack __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* --- one sample ------------------------------------------------------------------------------------------------------
 */

#if defined(__x86_64__)

static struct pcomp_frame *measured(struct pcomp_frame *f)
{
    while (!frame_is_root(f) && (f->end == FRAME_UNMEASURED || frame_in_flight(f)))
        f = frame_below(f);
    return f;
}

static bool lies_in(const struct pcomp_frame *f, const struct frame_place *frame)
{
    uint64_t function = f->function & ~FRAME_BITS;
    return f->sp + 8 >= frame->below && function >= frame->function && function < frame->end;
}

/* Ties the frames of the machine to the activations on the shadow stack, whose addresses lie inside theirs (a hook's is
 * that of its return address, just below). The sample may be some milliseconds old: then only an activation of the very
 * function counts. Returns the number of places: behind the outermost there is one more where a timed activation was
 * not met. */
static unsigned tie(const struct hot *h, const struct frame_place *frames, unsigned count, struct pcomp_frame *f,
                    bool now, struct stack_place *places)
{
    for (unsigned i = 0; i < count; i++) {
        places[i] = (struct stack_place){frames[i].pc, 0};
        for (; !frame_is_root(f) && f->sp + 8 < frames[i].above; f = measured(frame_below(f)))
            if (!places[i].node && (now || lies_in(f, &frames[i])))
                places[i].node = f->node;
    }
    uint64_t node = f->node;
    if (node && node != (uint64_t)(uintptr_t)h->root)
        places[count++] = (struct stack_place){PCOMP_STACK_UNKNOWN, node};
    return count;
}

static void add_sample(struct hot *h, const struct frame_registers *r, const struct frame_stack *stack, bool now,
                       uint32_t weight)
{
    struct frame_place frames[FRAMES_MOST];
    struct thread_sampler *t = own;
    uint64_t pc = r->value[FRAME_PC];
    unsigned count = 0;
    __atomic_fetch_add(&store_header->samples, 1, __ATOMIC_RELAXED);
    if (pc - own_start < own_end - own_start) {
        const struct stack_place library = {PCOMP_STACK_LIBRARY, 0};
        stack_samples_add(&t->samples, h->thread->index, &library, 1, weight);
        return;
    }
    if (call_frames_look_begin()) {
        count = call_frames_places(r, stack, frames, FRAMES_MOST);
        call_frames_look_end();
    }
    if (!count)
        frames[count++] = (struct frame_place){.pc = pc};
    count = tie(h, frames, count, measured(shadow_top(h)), now, t->places);
    stack_samples_add(&t->samples, h->thread->index, t->places, count, weight);
}

static void add_old_sample(const struct frame_registers *r, const struct frame_stack *stack, void *any)
{
    add_sample(any, r, stack, false, 1);
}

/* Where the signal interrupted the program; the stack is empty where it is not the one that the hooks know. */
static void read_context(const struct hot *h, const greg_t *registers, struct frame_registers *r,
                         struct frame_stack *stack)
{
    static const int names[] = {REG_RBX, REG_RBP, REG_RSP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    static const int numbers[] = {3, 6, FRAME_SP, 12, 13, 14, 15, FRAME_PC};
    *r = (struct frame_registers){{0}};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        r->value[numbers[i]] = (uint64_t)registers[names[i]];
    uint64_t sp = r->value[FRAME_SP];
    bool here = sp - h->low < h->reach;
    *stack = (struct frame_stack){sp, here ? h->low + h->reach : sp, (const uint8_t *)(uintptr_t)sp};
}

/* The stack address up to which functions called each other: there a signal came, or nothing more is known. */
static uint64_t calls_reach(const struct frame_registers *r, const struct frame_stack *stack)
{
    struct frame_place frames[FRAMES_MOST];
    uint64_t reach = 0;
    if (!call_frames_look_begin())
        return 0;
    unsigned count = call_frames_places(r, stack, frames, FRAMES_MOST);
    call_frames_look_end();
    for (unsigned i = 0; i < count; i++) {
        if (!frames[i].above)
            return reach;
        reach = frames[i].above;
    }
    return count == FRAMES_MOST ? UINT64_MAX : reach; /* a deep recursion: no handler is that far away */
}

static void take_samples(struct hot *h, struct thread_sampler *t, const greg_t *registers, uint32_t weight)
{
    uint64_t pc = (uint64_t)registers[REG_RIP], now = clock_read(config.clock);
    struct frame_registers r;
    struct frame_stack stack;
    if (h->park == PARK_PAUSED)
        return;
    read_context(h, registers, &r, &stack);
    if (t->ring.page)
        perf_ring_read(&t->ring, add_old_sample, h);
    else
        add_sample(h, &r, &stack, true, weight);
    /* in a hook of ours frames may be half made */
    bool in_hook = !own_end || pc - own_start < own_end - own_start;
    if (in_hook || h->park != PARK_NONE)
        return;
    if (levels_are_due(h, now))
        levels_look(h, now, stack.high > stack.low ? calls_reach(&r, &stack) : 0, 0);
}

#endif

static void end_timer(struct thread_sampler *t)
{
    int32_t timer = __atomic_exchange_n(&t->timer, NO_TIMER, __ATOMIC_SEQ_CST);
    if (timer != NO_TIMER)
        raw_call(SYS_timer_delete, timer, 0, 0, 0);
}

void sampler_signalled(int number, const siginfo_t *info, const ucontext_t *context);

/* On its own stack, all signals blocked. */
void sampler_signalled(int number, const siginfo_t *info, const ucontext_t *context)
{
    (void)number;
    struct hot *h = hot_thread;
    struct thread_sampler *t = own;
    int kept = errno;
    if (info->si_code != SI_TIMER || !t || info->si_value.sival_ptr != t || h->self != h)
        return;
    if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE)) {
        end_timer(t);
        return;
    }
    uint64_t begin = clock_read(config.clock);
    __atomic_store_n(&h->in_slow, true, __ATOMIC_SEQ_CST); /* the end of the process waits for it */
    if (!__atomic_load_n(&h->closing, __ATOMIC_SEQ_CST)) {
        h->masked = true;
#if defined(__x86_64__)
        take_samples(h, t, context->uc_mcontext.gregs, 1 + (uint32_t)info->si_overrun);
#else
        (void)context;
#endif
        h->masked = false;
        __atomic_fetch_add(&store_header->sample_ticks, clock_read(config.clock) - begin, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&h->in_slow, false, __ATOMIC_RELEASE);
    errno = kept;
}

/* The program's stack may have room for the kernel's frame alone. */
void sampler_handler(int number, siginfo_t *info, void *context);
#if defined(__x86_64__)
__asm__(".text\n.globl sampler_handler\n.hidden sampler_handler\n.type sampler_handler, @function\n.p2align 4\n"
        "sampler_handler:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        "mov sampler_stack@gottpoff(%rip), %rax\n"
        "mov %fs:(%rax), %rax\n"
        "test %rax, %rax\n"
        "jz 1f\n"
        "mov %rax, %rsp\n"
        "1: and $-16, %rsp\n"
        "call sampler_signalled\n"
        "mov %rbp, %rsp\n.cfi_def_cfa_register %rsp\n"
        "pop %rbp\n.cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n.size sampler_handler, . - sampler_handler\n");
#else
void sampler_handler(int number, siginfo_t *info, void *context)
{
    sampler_signalled(number, info, context);
}
#endif

/* --- threads ---------------------------------------------------------------------------------------------------------
 */

static bool begin_timer(struct thread_sampler *t)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number, .sigev_value.sival_ptr = t};
    struct itimerspec every = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    int timer;
    event._sigev_un._tid = t->tid;
    if (raw_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)(uintptr_t)&event, (long)(uintptr_t)&timer, 0) < 0)
        return false;
    bool runs = raw_call(SYS_timer_settime, timer, 0, (long)(uintptr_t)&every, 0) >= 0;
    __atomic_store_n(&t->timer, timer, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&on, __ATOMIC_SEQ_CST)) /* sampler_yield_signal may have passed by before there was one */
        end_timer(t);
    return runs;
}

static struct thread_sampler *take_unused(void)
{
    spin_lock(&lock);
    struct thread_sampler *t = unused;
    if (t)
        unused = t->next;
    spin_unlock(&lock);
    if (t)
        return t;
    void *memory =
        mmap(NULL, sizeof(*t) + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    t = memory;
    t->timer = NO_TIMER;
    spin_lock(&lock);
    t->made_before = all;
    __atomic_store_n(&all, t, __ATOMIC_SEQ_CST);
    spin_unlock(&lock);
    return t;
}

static void say_why(const char *why, const char *reason)
{
    snprintf(store_header->sampler_why, sizeof(store_header->sampler_why), reason ? "%s: %s" : "%s", why, reason);
}

void sampler_begin_thread(struct hot *h)
{
    if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE) || own)
        return;
    struct thread_sampler *t = take_unused();
    if (!t) {
        say_why("some threads have no samples", "no memory");
        return;
    }
    t->samples = (struct stack_samples){0};
    t->tid = h->thread->tid;
    t->ring.page = NULL;
    own = t;
    sampler_stack = t->stack + STACK_SIZE;
#if defined(__x86_64__)
    if (store_header->sampler == PCOMP_SAMPLER_PERF)
        perf_ring_open(&t->ring, PERIOD_NS);
#endif
    if (!begin_timer(t))
        say_why("some threads have no samples", "the system has no timer left (ulimit -i)");
}

void sampler_end_thread(void)
{
    struct thread_sampler *t = own;
    if (!t)
        return;
    end_timer(t);
#if defined(__x86_64__)
    perf_ring_close(&t->ring);
#endif
    stack_samples_end(&t->samples);
    own = NULL;
    sampler_stack = NULL;
    spin_lock(&lock);
    t->next = unused;
    unused = t;
    spin_unlock(&lock);
}

static bool is_own(const struct thread_sampler *t)
{
    return t && t->tid == (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0);
}

void sampler_pause(void)
{
    if (is_own(own))
        end_timer(own);
}

void sampler_resume(void)
{
    if (is_own(own) && __atomic_load_n(&on, __ATOMIC_ACQUIRE))
        begin_timer(own);
}

/* --- the process -----------------------------------------------------------------------------------------------------
 */

static bool is_free(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

static bool take_signal(void)
{
    struct sigaction action = {.sa_sigaction = sampler_handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, 0}; *s; s++)
        sigdelset(&action.sa_mask, *s);
    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
        if (is_free(number)) {
            signal_number = number;
            return sigaction(number, &action, NULL) == 0;
        }
    return false;
}

/* What a signal takes beside the handler: the thread sends itself some. Ticks, fixed-point. */
static int64_t measure_delivery(void)
{
    uint64_t least = UINT64_MAX;
    uint64_t mask = UINT64_C(1) << (signal_number - 1), saved;
    long pid = raw_call(SYS_getpid, 0, 0, 0, 0), tid = raw_call(SYS_gettid, 0, 0, 0, 0);
    raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)(uintptr_t)&mask, (long)(uintptr_t)&saved, sizeof(mask));
    for (int i = 0; i < DELIVERY_TRIES; i++) {
        uint64_t begin = clock_read_in_order(config.clock);
        raw_call(SYS_tgkill, pid, tid, signal_number, 0);
        uint64_t took = clock_read_in_order(config.clock) - begin;
        least = took < least ? took : least;
    }
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)&saved, 0, sizeof(saved));
    return (int64_t)(least << PCOMP_FIX_SHIFT);
}

/* Where the library's code lies, unless it is linked into the program. */
static void find_own_code(void)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    uint64_t start = (uint64_t)(uintptr_t)__ehdr_start, end = (uint64_t)(uintptr_t)etext;
    uint64_t entry = getauxval(AT_ENTRY);
    if (entry >= start && entry < end)
        return;
    own_start = start;
    own_end = end;
}

/* Since then these timers send their signal on the way back to the program: before, a system call that was about to
 * sleep returned early, and a signal could meet the program behind exec. */
static bool kernel_is_new_enough(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 9));
}

/* What a sample by the kernel costs, ticks; 0: it is not to take any, or refuses. */
static double perf_cost(void)
{
#if defined(__x86_64__)
    return config.sampler_perf ? perf_ring_cost() : 0;
#else
    return 0;
#endif
}

/* The signal last: it is taken where samples will be taken, and nowhere else. */
void sampler_start(void)
{
    double cost = 0;
    const char *none = config.sampler_off                                     ? "--sampler off"
                       : !SUPPORTED                                           ? "there is no sampler for this machine"
                       : !kernel_is_new_enough()                              ? "timers need Linux 5.9"
                       : !((cost = perf_cost()) > 0) && !config.sampler_timer ? "the system allows no perf events"
                       : !signal_number && !take_signal()                     ? "the program uses all real-time signals"
                                                                              : NULL;
    if (none) {
        say_why(none, NULL);
        return;
    }
    find_own_code();
    call_frames_meet_all();
    store_header->sampler = cost > 0 ? PCOMP_SAMPLER_PERF : PCOMP_SAMPLER_TIMER;
    store_header->sampler_signal = (uint32_t)signal_number;
    store_header->sample_period_ns = PERIOD_NS;
    store_header->sample_delivery = cost > 0 ? (int64_t)(cost * (1 << PCOMP_FIX_SHIFT)) : measure_delivery();
    __atomic_store_n(&on, true, __ATOMIC_RELEASE);
}

void sampler_stop(void)
{
    __atomic_store_n(&on, false, __ATOMIC_RELEASE);
    if (own)
        end_timer(own);
}

bool sampler_looks(void)
{
    return __atomic_load_n(&on, __ATOMIC_RELAXED) && own_end;
}

int sampler_signal(void)
{
    return __atomic_load_n(&on, __ATOMIC_RELAXED) ? signal_number : 0;
}

void sampler_yield_signal(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int number = signal_number;
    if (!store_header || store_header->pid != (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0))
        return; /* a process that shares this memory has no timers, and signal actions of its own */
    say_why("the program took the signal that the timers sent", NULL);
    __atomic_store_n(&on, false, __ATOMIC_SEQ_CST);
    for (struct thread_sampler *t = __atomic_load_n(&all, __ATOMIC_SEQ_CST); t; t = t->made_before)
        end_timer(t);
    sigaction(number, &ignore, NULL); /* takes back what was sent and not yet handled */
    signal_number = 0;
}

void sampler_unblock(sigset_t *mask)
{
    int number = sampler_signal();
    if (number)
        sigdelset(mask, number);
}

void sampler_forget(void)
{
    lock.taken = 0;
    unused = all = NULL;
    own = NULL;
    sampler_stack = NULL;
    on = false;
}
