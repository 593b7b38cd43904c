#include "profiler/process/threads.h"

#include "compensation/cost/online_model.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/store.h"
#include "profiler/base/thread_list.h"
#include "profiler/control/off_cpu.h"
#include "profiler/control/sampler.h"
#include "profiler/hooks/callstack.h"
#include "profiler/process/ended_threads.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/frames.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"
#include "profiler/trace/trace_process.h"
#include "profiler/trace/trace_suppressed.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint64_t creator, start_function;
static __thread unsigned rounds; /* of destructors that are over */

static uint32_t thread_index;
static pthread_key_t key;
static int key_made;

/* Since `begin`, of the thread's processor time: what is its own would seem to be the program's else. */
static void add_cost(uint64_t begin_ns)
{
    __atomic_fetch_add(&run_threads_ns, clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns, __ATOMIC_RELAXED);
}

static void leave_record(struct thread_state *h, struct stack_samples *samples)
{
    thread_finish(h);
    custom_end(h);
    shadow_end(h);
    if (config.trace)
        trace_thread_ended(h);
    thread_list_remove(h);
    if (!ended_thread_keep(h, start_function, samples))
        paths_end(h);
}

static void end(struct thread_state *h, struct stack_samples *samples)
{
    __atomic_store_n(&h->in_slow, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&h->closing, __ATOMIC_SEQ_CST)) {
        h->in_slow = false;
        return;
    }
    thread_state_leave();                 /* later destructors of this thread start a record of their own */
    if (h->recording != RECORDING_CLOSED) /* else it was never given memory */
        leave_record(h, samples);
    thread_state_free(h);
}

static void end_called(void *argument)
{
    struct thread_state *h = argument;
    struct stack_samples samples = {0};
    sigset_t saved;
    signals_block(&saved);
    bool is_measured = current_thread == h && h->self == h && !run_is_closed();
    if (is_measured)
        sampler_finish(h);
    sampler_end_thread(&samples);
    if (is_measured) {
        sanitizer_ignores();
        end(h, &samples);
        sanitizer_watches();
    }
    stack_samples_end(&samples);
    signals_restore(&saved);
}

/* The program's destructors may call hooks before and behind this one, which comes again in each round. What a thread
 * is given behind the last one would stay for good: its memory, its stacks, its timer. The key says only that there is
 * an end to be seen: a handler may begin to measure the thread at any moment, as before it is expected to end. */
static void end_of_thread(void *unused)
{
    (void)unused;
    if (run_locked_in)
        return;
    bool last = ++rounds >= PTHREAD_DESTRUCTOR_ITERATIONS;
    if (last)
        thread_is_over = true;
    struct thread_state *h = current_thread;
    if (h->self == h) {
        uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
        own_stack_run(end_called, h);
        add_cost(begin_ns);
    }
    if (!last)
        thread_expect_end();
    own_stack_free();
}

void thread_expect_end(void)
{
    if (key_made)
        pthread_setspecific(key, &key);
}

void threads_start(void)
{
    if (!key_made)
        key_made = pthread_key_create(&key, end_of_thread) == 0;
}

void thread_read_usage(struct thread_state *h)
{
    struct pcomp_thread *t = h->thread;
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        t->involuntary1 = (uint64_t)usage.ru_nivcsw;
        t->voluntary1 = (uint64_t)usage.ru_nvcsw;
    }
    t->cpu1_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
    t->seen_tick = clock_read(config.clock);
    prctl(PR_GET_NAME, t->name);
}

static void thread_take_deltas(struct thread_state *h)
{
    struct pcomp_online_model model;
    pcomp_model_init(&model, config.model, run_delta);
    const struct pcomp_charge *repeat = &model.charge[PCOMP_VARIANT_REPEAT];
    h->own = repeat->own;
    h->descendant = repeat->descendant;
    h->lookup_extra = model.charge[PCOMP_VARIANT_LOOKUP].descendant - repeat->descendant;
}

static void use(struct thread_state *h)
{
    current_thread = h;
    thread_expect_end();
}

/* What was begun in vain is given back; the thread's calls are only counted as lost from now on. */
static struct thread_state *give_up(struct thread_state *h, struct pcomp_chunk *c)
{
    if (h->thread)
        __atomic_sub_fetch(&store_header->node_count, h->thread->node_count, __ATOMIC_RELAXED);
    custom_end(h);
    paths_end(h);
    if (h->nodes)
        store_free(h->nodes);
    if (c)
        store_free(c);
    memset(h, 0, sizeof(*h));
    h->self = h;
    h->recording = RECORDING_CLOSED;
    use(h);
    return NULL;
}

/* NULL: no memory. Readers find it once its chunk has a record. */
static struct pcomp_chunk *new_record(struct thread_state *h)
{
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_THREAD, 4096, 0, sizeof(struct pcomp_thread));
    if (!c)
        return NULL;
    h->thread = (struct pcomp_thread *)(c + 1);
    h->thread->index = __atomic_fetch_add(&thread_index, 1, __ATOMIC_RELAXED);
    c->owner = h->thread->index;
    c->capacity = 1;
    return c;
}

/* Of a record that another thread left, times and switches go on where they were. */
static void begin_record(struct thread_state *h)
{
    struct pcomp_thread *t = h->thread;
    uint64_t wall = t->end_tick - t->start_tick, cpu_ns = t->cpu1_ns - t->cpu0_ns;
    uint64_t involuntary = t->involuntary1 - t->involuntary0, voluntary = t->voluntary1 - t->voluntary0;
    t->tid = (int32_t)syscall(SYS_gettid);
    t->flags = t->tid == getpid() ? PCOMP_THREAD_MAIN : 0;
    t->creator_link = creator ? creator : t->creator_link;
    t->threads++;
    t->stack_count = 0;
    t->start_tick = clock_read(config.clock) - wall;
    t->end_tick = 0;
    thread_read_usage(h);
    t->cpu0_ns = t->cpu1_ns - cpu_ns;
    t->involuntary0 = t->involuntary1 - involuntary;
    t->voluntary0 = t->voluntary1 - voluntary;
}

struct thread_state *thread_begin(uint64_t sp)
{
    struct thread_state *h = thread_state_new();
    struct stack_samples samples = {0};
    if (!h)
        return NULL;
    uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
    struct pcomp_chunk *c = NULL;
    bool again = ended_thread_take(h, creator, start_function, &samples);
    if (!again && !(c = new_record(h)))
        return give_up(h, NULL);
    begin_record(h);
    if (config.custom)
        h->recording = RECORDING_CUSTOM;
    thread_take_deltas(h);
    if (config.in_place)
        counts_begin_thread();
    if (config.trace)
        trace_thread_start(h);
    else if ((!again && !paths_start(h)) || (config.custom && !custom_begin(h)) || !shadow_start(h, sp)) {
        h->thread->end_tick = clock_read(config.clock);
        if (again) { /* what others left in the record stays in the profile, kept for a later thread or not */
            ended_thread_keep(h, start_function, &samples);
            h->thread = NULL;
            h->nodes = NULL;
        }
        stack_samples_end(&samples);
        return give_up(h, c);
    }
    h->poll_at = UINT64_MAX;
    h->probes_left = INT64_MAX;
    if (config.counts) {
        h->poll_at = 0;
        h->probes_left = PROBES_PER_POLL;
        h->budget = BUDGET_HOOKS_SLOW;
        off_cpu_restart(h);
    }
    if (!again) {
        __atomic_store_n(&c->count, 1, __ATOMIC_RELEASE);
        __atomic_add_fetch(&store_header->thread_count, 1, __ATOMIC_RELAXED);
    }
    thread_list_add(h);
    use(h);
    sampler_begin_thread(h, &samples);
    stack_samples_end(&samples);
    add_cost(begin_ns);
    return h;
}

void thread_finish(struct thread_state *h)
{
    uint64_t now = clock_read(config.clock);
    if (h->recording == RECORDING_TOO_DEEP)
        leave_too_deep(h);
    if (config.trace)
        trace_thread_end(h);
    else
        callstack_close_all(h, now);
    h->off_cpu.tick = 0;
    thread_read_usage(h);
    h->thread->end_tick = now;
    run_touch();
}

static void stop(struct thread_state *h, void *any)
{
    bool *in_slow = any;
    __atomic_store_n(&h->closing, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&h->in_slow, __ATOMIC_SEQ_CST)) {
        *in_slow = true;
        return;
    }
    if (h->recording == RECORDING_FAST)
        h->saved_pos = h->pos;
    if (h->tracing.suppressed)
        trace_suppressed_interrupt(h);
    else
        __atomic_store_n(&h->budget, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&h->trace_limit, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&h->tracing.limit, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&h->pos, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&h->recording, RECORDING_CLOSED, __ATOMIC_RELEASE);
}

bool threads_stop_all(void)
{
    bool in_slow = false;
    thread_list_each(stop, &in_slow);
    return !in_slow;
}

static void poll_off_cpu(struct thread_state *h, void *now)
{
    if (!h->in_slow && h->shadow)
        off_cpu_poll(h, *(const uint64_t *)now);
}

void threads_poll_off_cpu(uint64_t now)
{
    if (config.counts)
        thread_list_each(poll_off_cpu, &now);
}

static void close_trace(struct thread_state *h, void *unused)
{
    (void)unused;
    if (!h->in_slow)
        trace_thread_close(h);
}

void threads_close_all(void)
{
    if (config.trace)
        thread_list_each(close_trace, NULL);
}

void threads_forget(void)
{
    thread_is_over = false;
    own_stack_forget();
    thread_list_forget();
    thread_index = 0;
    ended_threads_forget();
    run_threads_ns = 0;
    creator = start_function = 0;
}

uint64_t thread_active_node(void)
{
    struct thread_state *h = current_thread;
    if (h->self != h || !h->shadow || h->recording == RECORDING_CLOSED)
        return 0;
    return shadow_top(h)->node;
}

void thread_set_creator(uint64_t node, uint64_t start)
{
    creator = node;
    start_function = start;
}
