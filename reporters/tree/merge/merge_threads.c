#include "reporters/tree/merge/merge_threads.h"
#include "compensation/numeric/array.h"
#include "reporters/tree/merge/widen_times.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALL_MIN 10e6 /* ns: CPU time of shorter threads is too coarse to compare */
#define OFF_CPU  0.02
#define CREATORS 64u

static bool room_for_process(struct tree_builder *b)
{
    size_t room = b->process_room;
    return ARRAY_ROOM(b->processes, b->tree->process_count, room) &&
           ARRAY_ROOM(b->tree->processes, b->tree->process_count, b->process_room);
}

static bool room_for_thread(struct tree_builder *b)
{
    size_t room = b->thread_room;
    return ARRAY_ROOM(b->threads, b->tree->thread_count, room) &&
           ARRAY_ROOM(b->tree->threads, b->tree->thread_count, b->thread_room);
}

/* A shell takes it as it is. */
static bool is_plain(const char *argument, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)argument[i]) && !strchr("_-+=./:,@%", argument[i]))
            return false;
    return length != 0;
}

/* The arguments as one line that a shell would read back. */
static char *command_text(struct tree_builder *b, const struct profile_file *file)
{
    size_t size, used = 0;
    const char *block = profile_text_block(file, file->header.command_link, &size);
    if (!block)
        return NULL;
    if (size > 65536)
        size = 65536;
    char *text = malloc(size * 4 + 16);
    if (!text)
        return NULL;
    const char *end = block + size;
    for (const char *a = block; a < end && (*a || a == block);) {
        size_t length = strnlen(a, (size_t)(end - a));
        if (used)
            text[used++] = ' ';
        bool plain = is_plain(a, length);
        if (!plain)
            text[used++] = '\'';
        for (size_t i = 0; i < length; i++) {
            if (a[i] == '\'') {
                memcpy(text + used, "'\\'", 3);
                used += 3;
            }
            text[used++] = a[i];
        }
        if (!plain)
            text[used++] = '\'';
        a += length + 1;
    }
    char *copy = text_pool_copy(b->texts, text, used);
    free(text);
    return copy;
}

static char *linked_text(struct tree_builder *b, const struct profile_file *file, uint64_t link)
{
    const char *text = profile_text(file, link);
    return text ? text_pool_copy(b->texts, text, strlen(text)) : NULL;
}

/* Greatest relative change of the deltas between start and exit. */
static void note_drift(struct tree_builder *b, const struct pcomp_header *h)
{
    const struct pcomp_delta *start = &h->delta_start[PCOMP_VARIANT_REPEAT],
                             *exit = &h->delta_exit[PCOMP_VARIANT_REPEAT];
    if (!start->repetitions && !start->descendant)
        b->found.uncalibrated = true;
    if (!exit->repetitions || start->descendant <= 0)
        return;
    double change = (double)exit->descendant / (double)start->descendant - 1;
    if (fabs(change) > fabs(b->found.drift)) {
        b->found.drift = change;
        b->found.drift_pid = h->pid;
    }
}

static void note_trace_budget(struct tree_builder *b, const struct profile_file *file)
{
    const struct pcomp_header *h = &file->header;
    struct tree_trace_budget *budget = &b->tree->trace_budget;
    double tick_ns = profile_tick_ns(file);
    if (!h->trace_budget || (double)h->trace_worst < budget->worst)
        return;
    *budget = (struct tree_trace_budget){.rate = (double)h->trace_budget,
                                         .worst = (double)h->trace_worst,
                                         .violations = h->over_count,
                                         .longest = (double)h->over_longest * tick_ns,
                                         .all = (double)h->over_ticks * tick_ns};
    if (h->over_count && h->over_cause == PCOMP_OVER_TRACE_BEFORE)
        budget->cause = "functions were called more than before";
    else if (h->over_count && h->over_cause == PCOMP_OVER_TRACE_ALWAYS)
        budget->cause = "synchronisation, messages or functions that cannot be suppressed";
}

static void add_process(struct tree_builder *b, const struct profile_file *file, bool running)
{
    const struct pcomp_header *h = &file->header;
    struct findings *found = &b->found;
    bool closed = h->state == PCOMP_STATE_CLOSED, killed = !running && !closed;
    struct build_process *build = &b->processes[b->tree->process_count];
    note_trace_budget(b, file);
    b->tree->processes[b->tree->process_count++] =
        (struct tree_process){.pid = h->pid,
                              .rank = h->rank,
                              .startup = (double)h->startup_ns,
                              .closing = (double)h->closing_ns,
                              .switching = h->window_switching * 1e9,
                              .sampling = profile_sampling_ns(file),
                              .executable = linked_text(b, file, h->exe_link),
                              .command = command_text(b, file),
                              .file = text_pool_copy(b->texts, file->path, strlen(file->path)),
                              .live = running && !closed,
                              .killed = killed,
                              .closed = closed,
                              .stopped = h->stopped,
                              .lost_calls = h->lost_calls,
                              .late_calls = h->late_calls};
    double fixed_ns = profile_tick_ns(file) / (1 << PCOMP_FIX_SHIFT);
    *build = (struct build_process){.start_ns = h->real0_ns,
                                    .forked = h->forked_from != 0,
                                    .calibration_file = h->flags & PCOMP_FLAG_CALIBRATION_FILE,
                                    .clock_pair = (double)h->clock_pair * fixed_ns};
    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        const struct pcomp_delta *d = &h->delta_start[v];
        build->delta[v] = (struct tree_delta){.own = (double)d->own * fixed_ns,
                                              .descendant = (double)d->descendant * fixed_ns,
                                              .direct = (double)d->direct * fixed_ns,
                                              .own_spread = (double)d->own_spread * fixed_ns,
                                              .descendant_spread = (double)d->descendant_spread * fixed_ns,
                                              .direct_spread = (double)d->direct_spread * fixed_ns};
    }
    found->lost_calls += h->lost_calls;
    found->late_calls += h->late_calls;
    found->stopped |= h->stopped;
    found->traced |= (h->flags & PCOMP_FLAG_TRACED) != 0;
    if (running && !closed && !found->live++)
        found->one_live = h->pid;
    if (killed && !found->killed++)
        found->one_killed = h->pid;
    note_drift(b, h);
    widen_times_note(b, h);
}

/* CPU time so far (ns) and context switches of a thread that runs; false where the system does not tell. */
static bool read_live(int pid, int tid, uint64_t *cpu_ns, uint64_t *involuntary, uint64_t *voluntary)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fscanf(f, "%" SCNu64, cpu_ns) == 1;
    fclose(f);
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
    if (!ok || !(f = fopen(path, "re")))
        return false;
    while (fgets(line, sizeof line, f)) {
        sscanf(line, "voluntary_ctxt_switches: %" SCNu64, voluntary);
        sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, involuntary);
    }
    fclose(f);
    return true;
}

static void set_processor_time(struct tree_builder *b, struct tree_thread *thread, const struct pcomp_thread *t,
                               uint64_t now_tick, double tick_ns)
{
    uint64_t cpu = t->cpu1_ns, involuntary = t->involuntary1, voluntary = t->voluntary1, at = t->seen_tick;
    if (thread->live && read_live(thread->pid, thread->tid, &cpu, &involuntary, &voluntary)) {
        double since = (double)(int64_t)(now_tick - at) * tick_ns - (double)(int64_t)(cpu - t->cpu1_ns);
        b->threads[thread - b->tree->threads].off_cpu = fmax(since, 0);
        at = now_tick;
    }
    double wall = (double)(int64_t)(at - t->start_tick) * tick_ns;
    thread->off_cpu_share = thread->cpu = NAN;
    if (!at || wall <= 0 ||
        cpu == t->cpu0_ns) /* nobody looked at the thread after its start: it was killed, or left by _exit */
        return;
    thread->cpu = (double)(int64_t)(cpu - t->cpu0_ns);
    thread->involuntary = involuntary - t->involuntary0;
    thread->voluntary = voluntary - t->voluntary0;
    thread->off_cpu_share = fmin(fmax(1 - thread->cpu / wall, 0), 1);
    if (wall < WALL_MIN || thread->off_cpu_share <= OFF_CPU)
        return;
    struct findings *found = &b->found;
    found->off_cpu_threads++;
    if (thread->off_cpu_share > found->off_cpu_worst) {
        found->off_cpu_worst = thread->off_cpu_share;
        snprintf(found->off_cpu_name, sizeof found->off_cpu_name, "%d (%.30s)", thread->tid, thread->name);
    }
}

static void note_thread(struct findings *found, const struct pcomp_thread *t)
{
    found->uncertain += t->uncertain;
    found->abandoned += t->abandoned;
    found->unmatched += t->unmatched;
    found->backwards += t->backwards;
    found->beyond_depth += t->beyond_depth;
    found->uncertain_threads += t->uncertain != 0;
    found->backwards_threads += t->backwards != 0;
}

/* Samples come at equal distances of processor time. ns of sampling a ns that a thread ran. */
static double sampling_share(const struct profile_file *file, uint64_t end_tick)
{
    double ran = 0;
    for (uint32_t i = 0; i < file->thread_count; i++)
        ran += profile_thread_ran(file, i, end_tick);
    return profile_sampling_ns(file) / ran;
}

bool merge_threads(struct tree_builder *b, const struct profile_file *file, bool running, uint64_t end_tick,
                   uint32_t *thread_of)
{
    if (!room_for_process(b))
        return false;
    uint32_t process = (uint32_t)b->tree->process_count;
    add_process(b, file, running);
    double tick_ns = profile_tick_ns(file), sampling = sampling_share(file, end_tick);
    for (uint32_t i = 0; i < file->thread_count; i++) {
        const struct pcomp_thread *t = file->threads[i].record;
        thread_of[i] = NO_NODE;
        if (b->options->thread && b->options->thread != t->tid)
            continue;
        if (!room_for_thread(b))
            return false;
        thread_of[i] = (uint32_t)b->tree->thread_count;
        struct tree_thread *thread = &b->tree->threads[b->tree->thread_count];
        *thread = (struct tree_thread){.pid = file->header.pid,
                                       .tid = t->tid,
                                       .threads = profile_threads_of(file, t),
                                       .rank = file->header.rank,
                                       .main = (t->flags & PCOMP_THREAD_MAIN) != 0,
                                       .first = t->index == 0,
                                       .live = running && !t->end_tick && file->header.state != PCOMP_STATE_CLOSED,
                                       .killed = b->tree->processes[process].killed && !t->end_tick,
                                       .uncertain = t->uncertain,
                                       .abandoned = t->abandoned,
                                       .unmatched = t->unmatched,
                                       .backwards = t->backwards,
                                       .sampling = sampling * profile_thread_ran(file, i, end_tick),
                                       .beyond_depth = t->beyond_depth,
                                       .stack_switches = t->stack_switches};
        memcpy(thread->name, t->name, sizeof thread->name - 1);
        b->threads[b->tree->thread_count++] = (struct build_thread){.process = process};
        uint64_t end = t->end_tick ? t->end_tick : end_tick;
        thread->wall = end > t->start_tick ? (double)(end - t->start_tick) * tick_ns : 0;
        set_processor_time(b, thread, t, end_tick, tick_ns);
        note_thread(&b->found, t);
        b->tree->threads_begun += thread->threads;
    }
    return true;
}

bool merge_creators(struct tree_builder *b, const struct profile_file *file, const uint32_t *thread_of,
                    const uint32_t *function_of)
{
    for (uint32_t i = 0; i < file->thread_count; i++) {
        if (thread_of[i] == NO_NODE || !file->threads[i].record->creator_link)
            continue;
        uint32_t chain[CREATORS], count = 0;
        uint64_t link = file->threads[i].record->creator_link;
        for (uint32_t node; count < CREATORS && (node = profile_node_index(file, link)) != PROFILE_NONE; count++) {
            const struct profile_chunk *chunk = profile_node_chunk(file, node);
            const struct pcomp_node_extra *extra = profile_node_extra(file, chunk, node - chunk->first_record);
            if (extra->function_id >= file->function_count || extra->function_id < PCOMP_FUNCTION_FIRST)
                break;
            chain[count] = function_of[extra->function_id];
            link = profile_node(file, chunk, node - chunk->first_record)->parent;
        }
        struct build_thread *t = &b->threads[thread_of[i]];
        if (!count)
            continue;
        t->creator = malloc(count * sizeof *t->creator);
        if (!t->creator)
            return false;
        memcpy(t->creator, chain, count * sizeof *t->creator);
        t->creator_count = count;
    }
    return true;
}
