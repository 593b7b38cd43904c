#include "profiler/process/session.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/private_memory.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/calibrate/calibrate.h"
#include "profiler/code/filter.h"
#include "profiler/code/functions.h"
#include "profiler/code/modules/executable.h"
#include "profiler/code/modules/modules.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/control/sampler.h"
#include "profiler/process/forks.h"
#include "profiler/process/profile_end.h"
#include "profiler/process/run_directory.h"
#include "profiler/process/threads.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/inherited.h"
#include "profiler/stack/counters.h"
#include "profiler/stack/native_frames.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_calibrate.h"
#include "profiler/trace/trace_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define STOP_TRIES    200 /* of 0.1 ms: for threads in slow hooks to leave them at exit */
#define AGAIN_SECONDS 0.1 /* of own time, before prices are worth measuring again at exit */

static struct spin lock;
static int parent_pid; /* in the child of a fork */
static bool inherits;  /* in such a child: the thread that forked has not begun yet */
static bool configured;
static __thread bool attaching;

/* --- start ---------------------------------------------------------------------------------------------------------
 */

static bool fail(const char *what, const char *why, const char *advice)
{
    static char text[600];
    size_t n = (size_t)snprintf(text, sizeof(text), "%.400s", what);
    snprintf(text + n, sizeof(text) - n, ": not measuring");
    run_say(text, why, advice);
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
        run_say("--clock", "this machine does not offer that clock", "another was chosen, see pcomp info");
    if (config.clock == PCOMP_CLOCK_MONOTONIC || config.clock == PCOMP_CLOCK_TSC_SERIAL)
        config.custom = true;
    config.counts &= !config.custom;
#if !defined(__x86_64__) /* no sites that could be turned off, and no samples: every call is timed, unless counts are  \
                            asked for */
    config.counts &= config.exact;
    config.trace_all = true;
#endif
    config.custom = config.custom && !config.trace;
    config.in_place = config.counts || (config.trace && !config.trace_all && !config.trace_budget);
    if (config.budget > 0 && !config.in_place) {
        run_say("--budget", "it goes with the plain TSC and the model split alone, without keys or counters",
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
    bool filters = config.pattern_count > 0;
    if (done || !(config.in_place || filters || sleds) ||
        sites_start((uint64_t)(uintptr_t)__cyg_profile_func_enter, (uint64_t)(uintptr_t)__cyg_profile_func_exit))
        return;
    done = true;
    sites_use_slots(site_probes(config.trace && config.in_place ? PROBES_TRACED
                                : config.full && !config.custom ? PROBES_TIMED
                                                                : PROBES_ANY),
                    config.in_place);
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
static void register_sleds(void)
{
    static bool said;
    uint32_t refused = sites_known().refused, bad = sites_known().bad_sleds;
    sites_register_sleds();
    struct sites_found found = sites_known();
    if (!said && (found.refused > refused || found.bad_sleds > bad)) {
        said = true;
        run_say("sleds that cannot be switched", found.why, "calls of their functions are not measured");
    }
}

void session_register_sleds(void)
{
    sigset_t saved;
    int kept = errno;
    if (attaching)
        return; /* the start itself loads a library */
    signals_block(&saved);
    sanitizer_ignores();
    spin_lock(&lock);
    if (sites_find_sleds() && configure_once()) {
        prepare_sites(true);
        forks_start();
        register_sleds();
    }
    spin_unlock(&lock);
    sanitizer_watches();
    signals_restore(&saved);
    errno = kept;
}

static void write_why(const struct dl_phdr_info *info, void *why)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = *info->dlpi_name ? slash ? slash + 1 : info->dlpi_name : "the program";
    snprintf(run_header->sites_why, sizeof(run_header->sites_why), "%.60s: %s", name, (const char *)why);
}

/* What is known of sites now; signals blocked. */
static void publish_sites(void)
{
    struct sites_found found = sites_known();
    run_header->site_modules = found.modules;
    run_header->site_enters = found.enters;
    run_header->site_exits = found.exits;
    run_header->site_sleds = found.sleds;
    run_header->sites_refused = found.refused;
    run_header->sleds_bad = found.bad_sleds;
    if (found.why && !module_headers(found.where, write_why, (void *)(uintptr_t)found.why))
        snprintf(run_header->sites_why, sizeof(run_header->sites_why), "%s", found.why);
}

/* By a debugger, or a tool like strace: the process stops at each signal, and at system calls. */
static bool is_traced(void)
{
    char text[1024];
    raw_read("/proc/self/status", text, sizeof(text));
    const char *tracer = strstr(text, "\nTracerPid:\t");
    return tracer && tracer[strlen("\nTracerPid:\t")] != '0';
}

static void describe_process(struct pcomp_header *h, const char *id)
{
    static char text[65536];
    h->clock = config.clock;
    h->model = config.model;
    h->flags = config.flags | (config.trace ? PCOMP_FLAG_TRACE : 0) | (config.counts ? PCOMP_FLAG_COUNTS : 0) |
               (config.calibration ? PCOMP_FLAG_CALIBRATION_FILE : 0) | (is_traced() ? PCOMP_FLAG_TRACED : 0);
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
        descriptor_close(fd);
    if (n > 0) {
        text[n] = 0; /* the second NUL is that of store_text */
        h->command_link = store_text(text, (size_t)n);
    }
    const char *file = executable_path(text);
    h->exe_link = *file ? store_text(file, strlen(file)) : 0;
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
    run_header = store_header;
    functions_start();
    describe_process(run_header, id);
    return true;
}

static bool find_deltas(void)
{
    calibrate_count();
    if (config.trace)
        return trace_calibrate(&run_delta[PCOMP_VARIANT_REPEAT]) || fail("calibration", "no memory", NULL);
    if (config.calibration) {
        const char *wrong = calibration_read(config.calibration, run_tick_hz, run_delta);
        if (wrong)
            return fail(config.calibration, wrong, NULL);
    }
    struct pcomp_delta measured[PCOMP_VARIANTS] = {0};
    if (!calibrate(measured))
        return fail("calibration", "no memory", NULL);
    if (!config.calibration)
        memcpy(run_delta, measured, sizeof(run_delta));
    return true;
}

static void find_tick_hz(uint64_t tick0, uint64_t ns0)
{
    uint64_t tick, ns;
    clock_pair(config.clock, &tick, &ns);
    run_tick_hz = config.clock == PCOMP_CLOCK_MONOTONIC ? 1e9 : (double)(tick - tick0) * 1e9 / (double)(ns - ns0);
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
    run_header->tick0 = tick;
    run_header->mono0_ns = ns;
    run_header->real0_ns = clock_now_ns(CLOCK_REALTIME);
    filter_start(config.data);
    const char *wrong = counters_start();
    if (wrong)
        return fail("--counters", wrong, NULL);
    if ((wrong = native_frames_start()))
        return fail("--native-frames", wrong, NULL);
    custom_configure();
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
    run_header->tick_hz = run_tick_hz;
    memcpy(run_header->delta_start, run_delta, sizeof(run_header->delta_start));
    if (*calibration_fitted) {
        run_header->flags |= PCOMP_FLAG_FITTED;
        memcpy(run_header->fitted, calibration_fitted, sizeof(run_header->fitted));
    }
    calibrate_publish(run_header);
    if (config.in_place)
        counts_start();
    if (config.counts) {
        sampler_start();
        level_frames_start();
        levels_start(!config.exact, &levels_of_frames);
    } else if (config.in_place ||
               (!config.custom && !config.trace && !config.calibration && config.model == PCOMP_MODEL_SPLIT)) {
        sampler_start();
    }
    run_touch();
    run_header->memory_budget = config.memory_budget;
    if (config.trace)
        trace_process_start();
    publish_sites();
    run_header->startup_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
    return true;
}

static void forget_parent(void)
{
    trace_on = trace_records = false;
    parent_pid = run_header ? run_header->pid : 0;
    forks_forget_parent();
    store_forget();
    shadow_forget();
    private_memory_forget();
    threads_forget();
    lock.taken = 0;
    inherits = parent_pid != 0;
    run_state = configured ? RUN_NONE : run_state;
}

static struct thread_state *attach(uint64_t sp)
{
    if (run_is_new_child())
        run_become_child(forget_parent);
    if (current_thread->self == current_thread) /* a handler was here between the look of the hook and the mask */
        return thread_is_closed() ? NULL : current_thread;
    spin_lock(&lock);
    if (run_state == RUN_NONE)
        __atomic_store_n(&run_state, run_mark_process() && start() ? RUN_RUNNING : RUN_FAILED, __ATOMIC_RELEASE);
    if (config.trace && run_state == RUN_RUNNING)
        atomic_store_explicit(&trace_on, true, memory_order_release);
    if (run_state == RUN_FAILED && run_header) {
        run_header = NULL;
        store_discard();
    }
    struct thread_state *h = NULL;
    if (run_state == RUN_RUNNING && !(h = thread_begin(sp))) {
        __atomic_or_fetch(&run_header->stopped, PCOMP_STOPPED_THREADS, __ATOMIC_RELAXED);
        if (!thread_is_closed()) /* else the caller counts the call, as it does later ones */
            run_count_lost();
    }
    if (h && inherits && h->thread->flags & PCOMP_THREAD_MAIN) { /* the only one that a child begins with */
        inherited_open(h);
        inherits = false;
    }
    spin_unlock(&lock);
    return h;
}

struct attachment {
    uint64_t sp;
    struct thread_state *h;
};

static void attach_called(void *any)
{
    struct attachment *a = any;
    int saved_errno = errno;
    sigset_t saved;
    signals_block(&saved);
    sanitizer_ignores();
    attaching = true; /* hooks of functions that the start itself calls find nothing to do */
    trace_mute();
    a->h = attach(a->sp);
    trace_unmute();
    attaching = false;
    sanitizer_watches();
    signals_restore(&saved);
    errno = saved_errno;
}

static struct thread_state *session_attach(uint64_t sp)
{
    if (run_locked_in) {
        if (!run_is_new_child())
            run_count_lost();
        return NULL;
    }
    if (thread_is_over && !run_is_new_child())
        return NULL; /* who asks counts the call */
    enum run_state now = __atomic_load_n(&run_state, __ATOMIC_ACQUIRE);
    if (attaching || ((now == RUN_FAILED || now == RUN_CLOSED) && !run_is_new_child())) {
        run_count_lost();
        return NULL;
    }
    struct attachment a = {.sp = sp};
    own_stack_run(attach_called, &a);
    if (own_stack_entered()) /* a hook that is there already: what it does for its call begins here */
        own_stack_enter_anew(clock_read(config.clock));
    sampler_unblock();
    return a.h;
}

struct thread_state *(*const run_attach)(uint64_t sp) = session_attach;

/* --- end -----------------------------------------------------------------------------------------------------------
 */

/* It takes 2.4 ms. Where hot functions are counted, timed calls cost so little that a short run is not worth it; where
 * nothing could be counted, the program's own time is not known. */
static bool calibrates_again(void)
{
    return !config.counts || !(store_header->own_seconds > 0) || store_header->own_seconds >= AGAIN_SECONDS;
}

static void close_called(void *unused)
{
    (void)unused;
    sigset_t saved;
    int saved_errno = errno;
    signals_block(&saved);
    sanitizer_ignores();
    spin_lock(&lock);
    uint64_t begin = clock_now_ns(CLOCK_MONOTONIC);
    struct thread_state *h = current_thread;
    bool is_measured = h->self == h && h->recording != RECORDING_CLOSED;
    if (is_measured)
        sampler_finish(h);
    sampler_stop();
    if (is_measured) {
        h->thread->flags |= PCOMP_THREAD_LAST;
        thread_finish(h);
        custom_end(h); /* PAPI runs one set of counters a thread, and the calibration needs it */
    }
    __atomic_store_n(&run_state, RUN_CLOSED, __ATOMIC_SEQ_CST);
    if (config.trace) /* other threads read it */
        trace_on = trace_records = false;
    publish_sites();
    if (config.in_place)
        levels_end();
    __atomic_fetch_add(&run_header->lost_calls, counts_close(), __ATOMIC_RELAXED);
    bool stopped = threads_stop_all();
    run_header->end_tick = clock_read(config.clock);
    for (int i = 0; i < STOP_TRIES && !stopped; i++) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        stopped = threads_stop_all();
    }
    functions_close();
    threads_poll_off_cpu(run_header->end_tick);
    struct pcomp_delta again[PCOMP_VARIANTS] = {0};
    /* it takes the place of the profile's memory, which a slow hook may be using */
    if (config.trace ? trace_calibrate(&again[PCOMP_VARIANT_REPEAT])
                     : stopped && calibrates_again() && calibrate(again))
        memcpy(run_header->delta_exit, again, sizeof(again));
    run_touch();
    uint64_t counted = run_header->stopped && !config.trace ? profile_calls_counted() : 0;
    run_header->state = PCOMP_STATE_CLOSED;
    threads_stop_all();
    threads_close_all();
    if (config.trace)
        counted = trace_process_end();
    run_header->closing_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
    profile_move();
    if (run_header->stopped)
        profile_say_what_stopped(counted);
    spin_unlock(&lock);
    sanitizer_watches();
    signals_restore(&saved);
    errno = saved_errno;
}

__attribute__((destructor(101))) void session_close(void)
{
    if (run_state == RUN_RUNNING && !run_is_new_child())
        own_stack_run(close_called, NULL);
}
