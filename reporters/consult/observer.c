#include "reporters/consult/observer.h"

#include "compensation/numeric/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SEARCH_FIRST_S 0.02 /* new processes and threads are looked for that often at first, */
#define SEARCH_LATER_S 0.2  /* and later */
#define FIRST_S        1.0  /* until then */
#define REFRESH_S      0.1
#define STALE_S        0.005 /* where something is missing */
#define FAULT_PAGES    512u
#define THREADS_MAX    4096u

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a minor page fault takes on this machine: fresh pages, touched once. */
static double measure_fault(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = FAULT_PAGES * page;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 0;
    madvise(memory, size, MADV_NOHUGEPAGE);
    double begin = seconds_now();
    for (size_t i = 0; i < FAULT_PAGES; i++)
        ((volatile char *)memory)[i * page] = 1;
    double spent = seconds_now() - begin;
    munmap(memory, size);
    return spent / FAULT_PAGES;
}

bool observer_open(struct observer *observer, const char *dir)
{
    *observer = (struct observer){.dir = dir, .scanned_s = -1, .fault_s = measure_fault()};
    return foci_open(&observer->foci);
}

static void end_process(struct observed_process *p)
{
    for (size_t i = 0; i < p->thread_count; i++)
        thread_view_close(&p->threads[i].view);
    p->thread_count = 0;
    p->ended = true;
}

void observer_close(struct observer *observer)
{
    for (size_t i = 0; i < observer->process_count; i++) {
        struct observed_process *p = &observer->processes[i];
        end_process(p);
        live_profile_close(p->profile);
        focus_cache_free(&p->cache);
        free(p->threads);
        free(p->timed);
    }
    free(observer->processes);
    free(observer->names);
    free(observer->seen);
    foci_close(&observer->foci);
}

/* --- Which processes and threads there are ------------------------------------------------------------------------ */

static bool is_known(struct observer *observer, const char *path)
{
    for (size_t i = 0; i < observer->process_count; i++)
        if (!strcmp(observer->processes[i].profile->path, path))
            return true;
    return false;
}

static void find_processes(struct observer *observer, double now)
{
    DIR *stream = opendir(observer->dir);
    for (struct dirent *e; stream && (e = readdir(stream));) {
        size_t length = strlen(e->d_name);
        char path[4400];
        if (length < 6 || strcmp(e->d_name + length - 6, ".pcomp") != 0 ||
            snprintf(path, sizeof path, "%s/%s", observer->dir, e->d_name) >= (int)sizeof path ||
            is_known(observer, path) ||
            !ARRAY_ROOM(observer->processes, observer->process_count, observer->process_room))
            continue;
        struct live_profile *profile = live_profile_open(path);
        if (!profile)
            continue;
        for (size_t i = 0; i < observer->process_count; i++) /* it has executed another program */
            if (observer->processes[i].profile->header.pid == profile->header.pid)
                end_process(&observer->processes[i]);
        observer->processes[observer->process_count++] =
            (struct observed_process){.profile = profile, .listed_s = -1, .refreshed_s = now, .born_s = now};
        observer->counts |= (profile->header.flags & PCOMP_FLAG_COUNTS) != 0;
    }
    if (stream)
        closedir(stream);
}

static void name_thread(struct observer *observer, uint32_t process, int pid, int tid)
{
    struct observed_name *n = &observer->names[observer->name_count++];
    char path[80];
    *n = (struct observed_name){.pid = pid, .tid = tid, .process = process};
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, n->name, sizeof n->name - 1) : 0;
    if (fd >= 0)
        close(fd);
    n->name[got > 0 ? got - 1 : 0] = 0;
}

static void add_thread(struct observer *observer, struct observed_process *p, int tid)
{
    struct observed_thread t = {.tid = tid, .first_s = -1, .sampled_s = -1, .listed = true};
    int pid = p->profile->header.pid;
    if (p->thread_count >= THREADS_MAX || !ARRAY_ROOM(p->threads, p->thread_count, p->thread_room) ||
        !ARRAY_ROOM(observer->names, observer->name_count, observer->name_room) || !thread_view_open(&t.view, pid, tid))
        return;
    t.number = (uint32_t)observer->name_count;
    name_thread(observer, (uint32_t)(p - observer->processes), pid, tid);
    p->threads[p->thread_count++] = t;
}

static void list_threads(struct observer *observer, struct observed_process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", p->profile->header.pid);
    DIR *stream = opendir(path);
    for (size_t i = 0; i < p->thread_count; i++)
        p->threads[i].listed = false;
    for (struct dirent *e; stream && (e = readdir(stream));) {
        int tid = atoi(e->d_name);
        size_t i = 0;
        if (tid <= 0)
            continue;
        while (i < p->thread_count && p->threads[i].tid != tid)
            i++;
        if (i < p->thread_count)
            p->threads[i].listed = true;
        else
            add_thread(observer, p, tid);
    }
    for (size_t i = 0; i < p->thread_count;)
        if (p->threads[i].listed)
            i++;
        else {
            thread_view_close(&p->threads[i].view);
            p->threads[i] = p->threads[--p->thread_count];
        }
    if (stream)
        closedir(stream);
    else
        end_process(p);
}

/* --- One thread --------------------------------------------------------------------------------------------------- */

static enum why why_of_waiting(uint64_t waiting)
{
    static const enum why kinds[] = {WHY_NONE,      WHY_LOCK, WHY_CONDITION, WHY_BARRIER,
                                     WHY_SEMAPHORE, WHY_JOIN, WHY_MESSAGE,   WHY_MESSAGE};
    uint64_t kind = waiting & 0xff;
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : WHY_NONE;
}

/* What it waits for, as the thread itself says; WHY_NONE: it does not say, or has jumped out of that since. */
static enum why reported_why(const struct live_word *word, const struct thread_moment *moment)
{
    enum why why = why_of_waiting(word->waiting);
    if (moment->does == THREAD_RUNS) /* an MPI waits by looking again and again */
        return why == WHY_MESSAGE ? why : WHY_NONE;
    return moment->stack && moment->stack > word->waiting >> 8 ? WHY_NONE : why;
}

static enum why why_of(enum thread_does does)
{
    static const enum why kinds[] = {
        [THREAD_GONE] = WHY_NONE,    [THREAD_RUNS] = WHY_CPU,     [THREAD_IO] = WHY_IO,
        [THREAD_SLEEPS] = WHY_SLEEP, [THREAD_FAULTS] = WHY_FAULT, [THREAD_WAITS] = WHY_OTHER};
    return kinds[does];
}

static uint32_t function_of_path(const struct observer *observer, uint32_t path)
{
    return path == FOCUS_NONE || path == PATH_ROOT ? FOCUS_NONE : observer->foci.paths.list[path].of;
}

/* word: what it says that it waits in; NULL: nothing. */
static void find_focus(struct observer *observer, struct observed_process *p, const struct live_thread *record,
                       const struct live_word *word, struct observation *o)
{
    o->path = foci_path(&observer->foci, &p->cache, p->profile, live_profile_top(p->profile, record));
    o->function = word ? foci_site(&observer->foci, &p->cache, p->profile, word->site) : FOCUS_NONE;
    o->object = word ? foci_object(&observer->foci, &p->cache, p->profile, word) : FOCUS_NONE;
    if (o->function == FOCUS_NONE)
        o->function = function_of_path(observer, o->path);
    observer->unknown += o->path == FOCUS_NONE && o->function == FOCUS_NONE;
}

static void observe_faults(const struct observer *observer, struct observed_thread *t,
                           const struct thread_moment *moment, double now, struct observation *o)
{
    if (t->sampled_s >= 0 && now > t->sampled_s) {
        o->faults = (double)(moment->faults - t->faults) * observer->fault_s / (now - t->sampled_s);
        o->faults = o->faults > 1 ? 1 : o->faults;
    }
    if (o->why == WHY_FAULT)
        o->faults = 1;
    t->faults = moment->faults;
    t->sampled_s = now;
}

static void observe_thread(struct observer *observer, struct observed_process *p, struct observed_thread *t,
                           uint32_t located, double now)
{
    struct observation o = {.process = (uint32_t)(p - observer->processes),
                            .thread = t->number,
                            .path = FOCUS_NONE,
                            .function = FOCUS_NONE,
                            .object = FOCUS_NONE};
    struct live_word word;
    const struct live_thread *record = live_profile_thread(p->profile, t->tid);
    if (t->first_s < 0)
        t->first_s = now;
    if (!record) { /* its first hook may have been since, or never comes: a thread of some library */
        p->profile->stale |= now - t->first_s < FIRST_S;
        return;
    }
    observer->names[t->number].measured = true;
    struct thread_moment moment = thread_view_read(&t->view);
    if (moment.does == THREAD_GONE || !live_profile_word(p->profile, record, &word) ||
        !ARRAY_ROOM(observer->seen, observer->seen_count, observer->seen_room))
        return;
    enum why reported = word.waiting ? reported_why(&word, &moment) : WHY_NONE;
    o.why = reported != WHY_NONE ? reported : why_of(moment.does);
    observe_faults(observer, t, &moment, now, &o);
    if (located & 1u << o.why || (o.faults > 0 && located & 1u << WHY_FAULT))
        find_focus(observer, p, record, reported != WHY_NONE ? &word : NULL, &o);
    observer->looks++;
    observer->seen[observer->seen_count++] = o;
}

size_t observer_sample(struct observer *observer, uint32_t located, double now)
{
    observer->seen_count = 0;
    if (now - observer->scanned_s > (now < FIRST_S ? SEARCH_FIRST_S : SEARCH_LATER_S)) {
        find_processes(observer, now);
        observer->scanned_s = now;
    }
    for (size_t i = 0; i < observer->process_count; i++) {
        struct observed_process *p = &observer->processes[i];
        if (!p->ended && !live_profile_runs(p->profile))
            end_process(p);
        if (p->ended)
            continue;
        if (now - p->refreshed_s > (p->profile->stale ? STALE_S : REFRESH_S)) {
            p->refreshed_s = now;
            if (!live_profile_refresh(p->profile)) {
                end_process(p);
                continue;
            }
        }
        if (p->listed_s < 0 || now - p->listed_s > (now - p->born_s < FIRST_S ? SEARCH_FIRST_S : SEARCH_LATER_S)) {
            p->listed_s = now;
            list_threads(observer, p);
        }
        for (size_t k = 0; k < p->thread_count; k++)
            observe_thread(observer, p, &p->threads[k], located, now);
    }
    return observer->seen_count;
}

/* --- What measuring costs ---------------------------------------------------------------------------------------- */

struct tally {
    struct observer *observer;
    struct observed_process *process;
    struct observed_cost *cost;
    double call_s;
    bool functions;
};

static void add_calls(const struct tally *tally, uint32_t function_id, uint64_t calls)
{
    struct observed_cost *cost = tally->cost;
    cost->calls += calls;
    cost->hooks_s += (double)calls * tally->call_s;
    if (!tally->functions)
        return;
    uint32_t function =
        foci_function(&tally->observer->foci, &tally->process->cache, tally->process->profile, function_id);
    if (function == FOCUS_NONE)
        return;
    if (function >= cost->room) {
        size_t room = function + 256;
        double *grown = realloc(cost->functions_s, room * sizeof *grown);
        if (!grown)
            return;
        memset(grown + cost->room, 0, (room - cost->room) * sizeof *grown);
        cost->functions_s = grown;
        cost->room = room;
    }
    cost->functions_s[function] += (double)calls * tally->call_s;
}

/* Room for a number of calls of the function. False: none. */
static bool room_for_timed(struct observed_process *p, uint32_t function_id)
{
    if (function_id < p->timed_room)
        return true;
    size_t room = p->timed_room ? p->timed_room : 256;
    if (function_id >= room * 1024)
        return false; /* damaged */
    while (room <= function_id)
        room *= 2;
    uint64_t *grown = realloc(p->timed, room * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + p->timed_room, 0, (room - p->timed_room) * sizeof *grown);
    p->timed = grown;
    p->timed_room = room;
    return true;
}

static void add_timed(void *context, struct live_node *node, uint64_t calls)
{
    struct tally *tally = context;
    add_calls(tally, node->function_id, calls);
    if (room_for_timed(tally->process, node->function_id))
        tally->process->timed[node->function_id] += calls;
}

static void add_counted(void *context, uint32_t function_id, uint64_t calls)
{
    struct tally *tally = context;
    struct observed_process *p = tally->process;
    uint64_t timed = function_id < p->timed_room ? p->timed[function_id] : 0, both = timed < calls ? timed : calls;
    if (both)
        p->timed[function_id] -= both;
    if (calls > both)
        add_calls(tally, function_id, calls - both);
}

void observer_cost(struct observer *observer, struct observed_cost *cost, bool functions)
{
    *cost = (struct observed_cost){0};
    for (size_t i = 0; i < observer->process_count; i++) {
        struct observed_process *p = &observer->processes[i];
        const struct pcomp_header *h = &p->profile->header;
        if (p->ended)
            continue;
        double fixed_s = 1 / h->tick_hz / (1 << PCOMP_FIX_SHIFT);
        double call = (double)h->delta_start[PCOMP_VARIANT_REPEAT].descendant;
        struct tally timed = {observer, p, cost, call * fixed_s, functions};
        live_profile_called(p->profile, add_timed, &timed);
        struct tally counted = {observer, p, cost, (double)h->count_cost * fixed_s, functions};
        live_profile_counted(p->profile, add_counted, &counted);
    }
}
