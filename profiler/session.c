#include "profiler/session.h"

#include "profiler/calibrate.h"
#include "profiler/clock.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/control/levels.h"
#include "profiler/control/sampler.h"
#include "profiler/counters.h"
#include "profiler/counts.h"
#include "profiler/filter.h"
#include "profiler/forks.h"
#include "profiler/functions.h"
#include "profiler/general.h"
#include "profiler/lock_in.h"
#include "profiler/modules.h"
#include "profiler/native_frames.h"
#include "profiler/own_stack.h"
#include "profiler/paths.h"
#include "profiler/run_directory.h"
#include "profiler/shadow.h"
#include "profiler/spin.h"
#include "profiler/store.h"
#include "profiler/threads.h"
#include "profiler/trace.h"
#include "profiler/trace_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define PARK_TRIES 200 /* of 0.1 ms: for threads in slow hooks to leave them at exit */

enum state { STATE_NONE, STATE_RUNNING, STATE_FAILED, STATE_CLOSED };
enum mark { MARK_WIPED, MARK_OWN, MARK_FORGETTING };

struct pcomp_delta session_delta[PCOMP_VARIANTS];
double session_tick_hz;

static struct spin lock;
static enum state state;
static uint32_t *mark;              /* enum mark, in a page that is wiped in the child of a fork */
static int parent_pid;              /* in such a child */
static bool inherits;               /* in such a child: the thread that forked has not begun yet */
static struct pcomp_header *header; /* of the profile, also while a scratch store is in use */
static struct pcomp_counter counter_delta[PCOMP_COUNTERS_MAX];
static int64_t clock_cost, count_cost;
static bool configured, touching;
static __thread bool attaching;

void session_say(const char *what, const char *why, const char *advice)
{
    const char *parts[] = {"pcomp: ",
                           what,
                           why ? ": " : "",
                           why ? why : "",
                           advice ? " (" : "",
                           advice ? advice : "",
                           advice ? ")\n" : "\n"};
    struct iovec v[7];
    for (int i = 0; i < 7; i++)
        v[i] = (struct iovec){(void *)(uintptr_t)parts[i], strlen(parts[i])};
    /* a broken pipe, or a file at its limit, must not end a program that itself writes nothing there */
    static const struct timespec at_once = {0, 0};
    sigset_t raised, before, saved_signals;
    int saved = errno;
    sigemptyset(&raised);
    sigaddset(&raised, SIGPIPE);
    sigaddset(&raised, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &raised, &saved_signals);
    sigpending(&before);
    if (writev(STDERR_FILENO, v, 7) < 0 && !sigismember(&before, errno == EPIPE ? SIGPIPE : SIGXFSZ) &&
        (errno == EPIPE || errno == EFBIG))
        sigtimedwait(&raised, NULL, &at_once);
    signals_restore(&saved_signals);
    errno = saved;
}

void session_touch(void)
{
    if (!header || __atomic_exchange_n(&touching, true, __ATOMIC_ACQUIRE))
        return; /* another thread renews the pair just now: both halves must be of one reading */
    uint64_t tick, ns;
    clock_pair(config.clock, &tick, &ns);
    header->tick1 = tick;
    header->mono1_ns = ns;
    __atomic_store_n(&touching, false, __ATOMIC_RELEASE);
}

bool session_runs(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_RUNNING && *mark == MARK_OWN;
}

bool session_is_closed(void)
{
    return __atomic_load_n(&state, __ATOMIC_SEQ_CST) == STATE_CLOSED;
}

void session_count_lost(void)
{
    if (header)
        __atomic_add_fetch(session_is_closed() ? &header->late_calls : &header->lost_calls, 1, __ATOMIC_RELAXED);
}

/* --- start ---------------------------------------------------------------------------------------------------------
 */

static bool fail(const char *what, const char *why, const char *advice)
{
    static char text[600];
    size_t n = (size_t)snprintf(text, sizeof(text), "%.400s", what);
    snprintf(text + n, sizeof(text) - n, ": not measuring");
    session_say(text, why, advice);
    return false;
}

static bool configure(void)
{
    const char *wrong = config_read();
    bool refused;
    if (getauxval(AT_SECURE))
        return fail("this program runs with raised privileges", "its files would belong to another user", NULL);
    if (wrong)
        return fail(wrong == config_data_too_long ? "PCOMP_DATA" : "PCOMP_OPTIONS", wrong, "see pcomp-record(1)");
    config.clock = clock_choose(config.clock, &refused);
    if (refused)
        session_say("--clock", "this machine does not offer that clock", "another was chosen, see pcomp info");
    if (config.clock == PCOMP_CLOCK_MONOTONIC || config.clock == PCOMP_CLOCK_TSC_SERIAL)
        config.general = true;
    config.counts &= !config.general;
#if !defined(__x86_64__) /* no sites that could be turned off, and no samples: every call is timed, unless counts are  \
                            asked for */
    config.counts &= config.exact;
#endif
    config.general = config.general && !config.trace;
    if (config.budget > 0 && !config.counts) {
        session_say("--budget", "it goes with the plain TSC and the model split alone, without keys or counters",
                    "every call is timed");
        config.budget = 0;
    }
    return true;
}

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

/* Sites lead to slots where calls are counted there, where functions are filtered, and where they are sleds. Once. */
static void prepare_sites(bool sleds)
{
    static bool done;
    bool filters = config.pattern_count && !config.trace;
    if (done || !(config.counts || filters || sleds) ||
        sites_start((uint64_t)(uintptr_t)__cyg_profile_func_enter, (uint64_t)(uintptr_t)__cyg_profile_func_exit))
        return;
    done = true;
    sites_use_slots(site_probes(config.full && !config.general), config.counts);
    if (filters)
        sites_filter();
}

/* Once a process, by its first hook, or when there are sleds; says what is wrong. */
static bool configure_once(void)
{
    static bool done, right;
    if (!done)
        right = configure();
    done = true;
    return right;
}

/* Once a process: what has no probes cannot say so itself. */
static void meet_sleds(void)
{
    static bool said;
    uint32_t refused = sites_known().refused, bad = sites_known().bad_sleds;
    sites_meet_sleds();
    struct sites_found found = sites_known();
    if (!said && (found.refused > refused || found.bad_sleds > bad)) {
        said = true;
        session_say("sleds that cannot be switched", found.why, "calls of their functions are not measured");
    }
}

void session_meet_sleds(void)
{
    sigset_t saved;
    int kept = errno;
    if (attaching)
        return; /* the start itself loads a library */
    signals_block(&saved);
    spin_lock(&lock);
    if (sites_find_sleds() && configure_once()) {
        prepare_sites(true);
        forks_start();
        meet_sleds();
    }
    spin_unlock(&lock);
    signals_restore(&saved);
    errno = kept;
}

static void write_why(const struct dl_phdr_info *info, void *why)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = *info->dlpi_name ? slash ? slash + 1 : info->dlpi_name : "the program";
    snprintf(header->sites_why, sizeof(header->sites_why), "%.60s: %s", name, (const char *)why);
}

/* What is known of sites now; signals blocked. */
static void publish_sites(void)
{
    struct sites_found found = sites_known();
    header->site_modules = found.modules;
    header->site_enters = found.enters;
    header->site_exits = found.exits;
    header->site_sleds = found.sleds;
    header->sites_refused = found.refused;
    header->sleds_bad = found.bad_sleds;
    if (found.why && !module_headers(found.where, write_why, (void *)(uintptr_t)found.why))
        snprintf(header->sites_why, sizeof(header->sites_why), "%s", found.why);
}

static void describe_process(struct pcomp_header *h, const char *id)
{
    static char text[65536];
    h->clock = config.clock;
    h->model = config.model;
    h->flags = config.flags | (config.trace ? PCOMP_FLAG_TRACE : 0) | (config.counts ? PCOMP_FLAG_COUNTS : 0) |
               (config.calibration ? PCOMP_FLAG_CALIBRATION_FILE : 0);
    h->pid = getpid();
    h->ppid = getppid();
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    h->rank = rank ? atoi(rank) : -1;
    h->process_start = process_start_time(h->pid);
    h->forked_from = (uint64_t)parent_pid;
    read_boot_id(h->boot_id);
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        sscanf(id + 2 * i, "%2x", &byte);
        h->run_id[i] = (uint8_t)byte;
    }
    gethostname(h->host, sizeof(h->host) - 1);
    memcpy(h->options, config.options_text, sizeof(h->options) - 1);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 2) : 0;
    if (fd >= 0)
        close(fd);
    if (n > 0) {
        text[n] = 0; /* the second NUL is that of store_text */
        h->command_link = store_text(text, (size_t)n);
    }
    n = readlink("/proc/self/exe", text, 4096);
    h->exe_link = n > 0 ? store_text(text, (size_t)n) : 0;
    h->cwd_link = getcwd(text, 4096) ? store_text(text, strlen(text)) : 0;
}

static bool open_profile(void)
{
    char id[33], why[400];
    const char *wrong = run_directory_open(id);
    bool exists = true;
    for (unsigned n = 0; !wrong && exists; n++) {
        exists = false;
        wrong = store_open(config.data, getpid(), n, &exists);
        if (exists && n < 10000)
            wrong = NULL;
    }
    if (wrong) {
        snprintf(why, sizeof(why), "%.100s, %.100s", wrong, strerrordesc_np(errno) ? strerrordesc_np(errno) : "error");
        return fail(config.data, why, "name another place with pcomp record -o DIR or PCOMP_DATA");
    }
    header = store_header;
    functions_start();
    describe_process(header, id);
    return true;
}

static bool find_deltas(void)
{
    if (config.trace)
        return trace_calibrate(&session_delta[PCOMP_VARIANT_REPEAT]) || fail("calibration", "no memory", NULL);
    if (config.calibration) {
        const char *wrong = calibration_read(config.calibration, session_tick_hz, session_delta);
        if (wrong)
            return fail(config.calibration, wrong, NULL);
    }
    struct pcomp_delta measured[PCOMP_VARIANTS] = {0};
    if (!calibrate(measured, counter_delta, &clock_cost))
        return fail("calibration", "no memory", NULL);
    if (config.counts)
        count_cost = calibrate_count();
    if (!config.calibration)
        memcpy(session_delta, measured, sizeof(session_delta));
    return true;
}

static void find_tick_hz(uint64_t tick0, uint64_t ns0)
{
    uint64_t tick, ns;
    clock_pair(config.clock, &tick, &ns);
    session_tick_hz = config.clock == PCOMP_CLOCK_MONOTONIC ? 1e9 : (double)(tick - tick0) * 1e9 / (double)(ns - ns0);
}

static bool start(void)
{
    uint64_t tick, ns, begin = clock_now_ns(CLOCK_MONOTONIC);
    bool child = configured;
    if (!configure_once())
        return false;
    clock_pair(config.clock, &tick, &ns);
    if (!open_profile())
        return false;
    header->tick0 = tick;
    header->mono0_ns = ns;
    header->real0_ns = clock_now_ns(CLOCK_REALTIME);
    filter_start(config.data);
    const char *wrong = counters_start();
    if (wrong)
        return fail("--counters", wrong, NULL);
    if ((wrong = native_frames_start()))
        return fail("--native-frames", wrong, NULL);
    general_configure();
    threads_start();
    forks_start();
    prepare_sites(false);
    if (!child) { /* a forked child inherits the calibration */
        if (config.calibration)
            while (clock_now_ns(CLOCK_MONOTONIC) - begin < 5000000)
                ;
        find_tick_hz(tick, ns);
        if (!find_deltas())
            return false;
        find_tick_hz(tick, ns);
    }
    configured = true;
    header->tick_hz = session_tick_hz;
    memcpy(header->delta_start, session_delta, sizeof(header->delta_start));
    if (*calibration_fitted) {
        header->flags |= PCOMP_FLAG_FITTED;
        memcpy(header->fitted, calibration_fitted, sizeof(header->fitted));
    }
    if (config.counts) {
        counts_start();
        header->count_cost = count_cost;
        sampler_start();
        levels_start(!config.exact);
    } else if (!config.general && !config.trace && !config.calibration && config.model == PCOMP_MODEL_SPLIT) {
        sampler_start();
    }
    header->clock_pair = clock_cost;
    for (uint32_t i = 0; i < header->counter_count; i++) {
        memcpy(counter_delta[i].name, header->counters[i].name, sizeof(counter_delta[i].name));
        header->counters[i] = counter_delta[i];
    }
    session_touch();
    header->memory_budget = config.memory_budget;
    if (config.trace)
        trace_process_start();
    publish_sites();
    header->startup_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
    return true;
}

static void forget_parent(void)
{
    trace_on = trace_records = false;
    parent_pid = header ? header->pid : 0;
    forks_forget_parent();
    store_forget();
    shadow_forget();
    threads_forget();
    header = NULL;
    lock.taken = 0;
    touching = false;
    inherits = parent_pid != 0;
    state = configured ? STATE_NONE : state;
}

static bool make_mark(void)
{
    if (!mark) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return false;
        madvise(page, 4096, MADV_WIPEONFORK);
        mark = page;
    }
    __atomic_store_n(mark, MARK_OWN, __ATOMIC_RELEASE);
    return true;
}

void session_in_child(void)
{
    if (mark)
        __atomic_store_n(mark, MARK_WIPED, __ATOMIC_RELEASE);
}

static bool is_new_child(void)
{
    return mark && __atomic_load_n(mark, __ATOMIC_ACQUIRE) != MARK_OWN;
}

/* Once, though the child's first hooks may run in several threads at the same time. The locks are of no use before: a
 * thread of the parent may have held them. */
static void become_child(void)
{
    uint32_t wiped = MARK_WIPED;
    if (__atomic_compare_exchange_n(mark, &wiped, MARK_FORGETTING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        forget_parent();
        __atomic_store_n(mark, MARK_OWN, __ATOMIC_RELEASE);
    }
    for (int turn = 0; is_new_child(); turn++)
        spin_wait(turn);
}

static struct hot *attach(uint64_t sp)
{
    if (is_new_child())
        become_child();
    spin_lock(&lock);
    if (state == STATE_NONE)
        __atomic_store_n(&state, make_mark() && start() ? STATE_RUNNING : STATE_FAILED, __ATOMIC_RELEASE);
    if (config.trace && state == STATE_RUNNING)
        atomic_store_explicit(&trace_on, true, memory_order_release);
    if (state == STATE_FAILED && header) {
        header = NULL;
        store_discard();
    }
    struct hot *h = NULL;
    if (state == STATE_RUNNING && !(h = thread_begin(sp))) {
        __atomic_or_fetch(&header->stopped, PCOMP_STOPPED_THREADS, __ATOMIC_RELAXED);
        if (!thread_is_closed()) /* else who asks counts the call, as those that follow */
            session_count_lost();
    }
    if (h && inherits && h->thread->flags & PCOMP_THREAD_MAIN) { /* the only one that a child begins with */
        fork_inherit(h);
        inherits = false;
    }
    spin_unlock(&lock);
    return h;
}

struct attachment {
    uint64_t sp;
    struct hot *h;
};

static void attach_called(void *any)
{
    struct attachment *a = any;
    int saved_errno = errno;
    sigset_t saved;
    signals_block(&saved);
    attaching = true; /* hooks of functions that the start itself calls find nothing to do */
    trace_mute();
    a->h = attach(a->sp);
    trace_unmute();
    attaching = false;
    signals_restore(&saved);
    errno = saved_errno;
}

struct hot *session_attach(uint64_t sp)
{
    if (locked_in) {
        if (!is_new_child())
            session_count_lost();
        return NULL;
    }
    enum state now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (attaching || ((now == STATE_FAILED || now == STATE_CLOSED) && !is_new_child())) {
        session_count_lost();
        return NULL;
    }
    struct attachment a = {.sp = sp};
    own_stack_run(attach_called, &a);
    sampler_unblock();
    return a.h;
}

/* --- end -----------------------------------------------------------------------------------------------------------
 */

/* In place, where that is done: timed calls are among them. */
static uint64_t calls_counted(void)
{
    uint64_t sum = 0;
    for (uint64_t at = sizeof(*header); at < header->used;) {
        const struct pcomp_chunk *c = (const struct pcomp_chunk *)((const char *)header + at);
        const struct pcomp_node *nodes = (const struct pcomp_node *)(c + 1);
        const uint64_t *counters = (const uint64_t *)(c + 1);
        for (uint32_t i = 0; !config.counts && c->kind == PCOMP_CHUNK_NODES && i < c->count; i++)
            sum += nodes[i].calls;
        for (uint32_t i = PCOMP_FUNCTION_FIRST; config.counts && c->kind == PCOMP_CHUNK_COUNTS && i < c->count; i++)
            sum += counters[i];
        at += c->size;
    }
    return sum;
}

static void say_what_stopped(uint64_t counted)
{
    char text[300];
    const char *what = config.trace ? "events recorded" : "calls counted";
    const char *why = header->stopped & PCOMP_STOPPED_NO_SPACE    ? "no room on the file system"
                      : header->stopped & PCOMP_STOPPED_FILE_SIZE ? "limit on the size of files"
                      : header->stopped & PCOMP_STOPPED_MEMORY    ? "--budget-memory"
                      : header->stopped & PCOMP_STOPPED_NODES     ? "limit of call paths"
                      : header->stopped & PCOMP_STOPPED_THREADS   ? "no memory for a thread"
                      : header->stopped & PCOMP_STOPPED_TRACE     ? "--trace-limit"
                                                                  : NULL;
    if (!why)
        return;
    snprintf(text, sizeof(text), "measurement stopped: %s; %llu %s, %llu not", why, (unsigned long long)counted, what,
             (unsigned long long)header->lost_calls);
    session_say(text, NULL, NULL);
}

static void move_profile(void)
{
    enum run_directory_end directory = run_directory_look(header->run_id);
    bool moved = store_close(directory == RUN_DIRECTORY_GONE);
    if (directory == RUN_DIRECTORY_GONE)
        session_say(config.data, "was deleted while the program ran, and what was measured is lost", NULL);
    else if (!moved)
        session_say(config.data, "the profile could not be moved there at exit; it lies in memory",
                    "the next pcomp command will fetch it");
    else if (directory == RUN_DIRECTORY_MADE_AGAIN)
        session_say(config.data, "was deleted while the program ran, and was made again for the profile", NULL);
}

static void close_called(void *unused)
{
    (void)unused;
    sigset_t saved;
    int saved_errno = errno;
    signals_block(&saved);
    spin_lock(&lock);
    uint64_t begin = clock_now_ns(CLOCK_MONOTONIC);
    sampler_stop();
    struct hot *h = hot_thread;
    if (h->self == h && h->park != PARK_CLOSED) {
        thread_finish(h);
        general_end(h); /* PAPI runs one set of counters a thread, and the calibration needs it */
    }
    __atomic_store_n(&state, STATE_CLOSED, __ATOMIC_SEQ_CST);
    if (config.trace) /* other threads read it */
        trace_on = trace_records = false;
    publish_sites();
    if (config.counts)
        levels_end();
    __atomic_fetch_add(&header->lost_calls, counts_close(), __ATOMIC_RELAXED);
    bool parked = threads_park_all();
    header->end_tick = clock_read(config.clock);
    for (int i = 0; i < PARK_TRIES && !parked; i++) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        parked = threads_park_all();
    }
    threads_look_off_cpu(header->end_tick);
    struct pcomp_delta again[PCOMP_VARIANTS] = {0};
    int64_t clock_again;
    struct pcomp_counter counters_again[PCOMP_COUNTERS_MAX];
    /* it takes the place of the profile's memory, which a slow hook may be using */
    if (config.trace ? trace_calibrate(&again[PCOMP_VARIANT_REPEAT])
                     : parked && calibrate(again, counters_again, &clock_again))
        memcpy(header->delta_exit, again, sizeof(again));
    session_touch();
    uint64_t counted = header->stopped && !config.trace ? calls_counted() : 0;
    header->state = PCOMP_STATE_CLOSED;
    threads_park_all();
    threads_close_all();
    if (config.trace)
        counted = trace_process_end();
    header->closing_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
    move_profile();
    if (header->stopped)
        say_what_stopped(counted);
    spin_unlock(&lock);
    signals_restore(&saved);
    errno = saved_errno;
}

__attribute__((destructor(101))) void session_close(void)
{
    if (state == STATE_RUNNING && !is_new_child())
        own_stack_run(close_called, NULL);
}
