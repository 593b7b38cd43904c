#include "reporters/replay/drive/replay_drive.h"

#include "reporters/base/terminal.h"
#include "reporters/replay/drive/replay_workers.h"
#include "reporters/replay/drive/shared_outcome.h"
#include "reporters/trace/files/trace_write.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool interrupted; /* without a lock: signal handlers set it */

struct drive {
    const struct replay_request *request;
    struct replay_outcome *outcome;
    struct replay_workers *workers;
    struct replay_block **current; /* by location: what the replay holds */
    bool *cut;                     /* by location: read up to request->before */
    struct trace_writer *writers;  /* by location; NULL: nothing is written */
    atomic_bool failed;            /* outcome->error is set, by whoever set this first */
    uint64_t bytes;                /* read so far */
    unsigned percent;
};

void replay_interrupt(void)
{
    atomic_store(&interrupted, true);
}

/* Keeps the first error, and says whether it is this one; called by all threads. */
static bool drive_fail_with(struct drive *d, const char *error)
{
    bool first = !atomic_exchange(&d->failed, true);
    if (first)
        snprintf(d->outcome->error, sizeof d->outcome->error, "%s", error);
    return first;
}

static void drive_fail(struct drive *d, const char *what, const char *why)
{
    char error[sizeof d->outcome->error];
    snprintf(error, sizeof error, "%.900s: %.100s", what, why);
    drive_fail_with(d, error);
}

static bool is_others(const struct drive *d, uint32_t location)
{
    return d->request->others && d->request->others[location];
}

/* --- Reading and finishing: by any thread, each location by one at a time -------------------------------------------
 */

/* Bytes of the records before `before`. */
static size_t size_before(const void *records, size_t size, uint64_t before)
{
    const char *at = records, *end = at + size;
    while (at < end && ((const struct pcomp_event *)at)->time < before)
        at += pcomp_event_size((const struct pcomp_event *)at);
    return (size_t)(at - (const char *)records);
}

static void read_block(void *context, struct replay_block *block, size_t room)
{
    struct drive *d = context;
    const struct replay_request *request = d->request;
    struct trace_file *file = request->traces->locations[block->location].file;
    char error[sizeof d->outcome->error];
    if (d->cut[block->location])
        return;
    block->first_event = trace_file_event(file);
    int64_t size = trace_directory_read(request->traces, block->location, block->measured, room, error, sizeof error);
    if (size <= 0) {
        block->damaged = size < 0 || file->damage;
        if (size < 0 && !(block->error = strdup(error)))
            drive_fail(d, file->path, "cannot be read, and out of memory");
        return;
    }
    block->size = (size_t)size;
    if (request->before != UINT64_MAX)
        block->size = size_before(block->measured, block->size, request->before);
    d->cut[block->location] = block->size < (size_t)size;
    memcpy(block->segment + 1, block->measured, block->size);
}

/* Bytes that are left of the records without those that are no events of the program. */
static size_t drop_clock_sets(void *records, size_t size)
{
    char *to = records;
    uint32_t length;
    for (const char *at = records, *end = at + size; at < end; at += length) {
        const struct pcomp_event *event = (const struct pcomp_event *)(const void *)at;
        length = pcomp_event_size(event);
        if (pcomp_event_kind(event) == PCOMP_EVENT_CLOCK_SET)
            continue;
        memmove(to, at, length);
        to += length;
    }
    return (size_t)(to - (char *)records);
}

/* The header of an approximated trace. */
static struct pcomp_trace_header approximated_header(const struct trace_directory *traces, uint32_t location,
                                                     const uint8_t run_id[16])
{
    struct pcomp_trace_header header = traces->locations[location].file->header;
    const struct pcomp_trace_header *clock = &traces->locations[0].file->header;
    header.flags = (header.flags & PCOMP_TRACE_MAIN) | PCOMP_TRACE_APPROXIMATED | PCOMP_TRACE_CLOSED;
    memcpy(header.run_id, run_id, sizeof header.run_id);
    header.tick0 = clock->tick0;
    header.mono0_ns = clock->mono0_ns;
    header.tick1 = clock->tick1;
    header.mono1_ns = clock->mono1_ns;
    header.tick_hz = clock->tick_hz;
    memset(header.offset_tick, 0, sizeof header.offset_tick);
    memset(header.offset, 0, sizeof header.offset);
    memset(header.offset_error, 0, sizeof header.offset_error);
    memset(header.alpha, 0, sizeof header.alpha);
    header.in_place_count = 0;
    return header;
}

/* Not before there is something to write: a file system may take long to make a file. */
static void begin_trace(struct drive *d, uint32_t location)
{
    const struct trace_directory *traces = d->request->traces;
    char path[4300], error[sizeof d->outcome->error];
    struct pcomp_trace_header header = approximated_header(traces, location, d->request->run_id);
    trace_writer_path(traces->locations[location].file->path, d->request->write_to, path);
    if (!trace_writer_open(&d->writers[location], path, &header, error, sizeof error))
        drive_fail_with(d, error);
}

static void finish_block(void *context, struct replay_block *block)
{
    struct drive *d = context;
    struct path_tree *tree = &d->outcome->trees[block->location];
    void *records = block->segment + 1;
    if (atomic_load(&d->failed))
        return;
    if (!path_tree_follow(tree, block->measured, records, block->size, block->waits, block->wait_count)) {
        drive_fail(d, d->request->traces->path, "out of memory for its call paths");
        return;
    }
    struct trace_writer *writer = d->writers ? &d->writers[block->location] : NULL;
    if (d->request->traces->locations[block->location].file->header.flags & PCOMP_TRACE_REMAPPED)
        block->size = drop_clock_sets(records, block->size);
    if (!writer || !block->size)
        return;
    if (!writer->file)
        begin_trace(d, block->location);
    if (writer->file && !trace_writer_segment(writer, block->segment, block->size, block->first_event))
        drive_fail(d, writer->path, strerror(errno));
}

/* --- What the replay calls ------------------------------------------------------------------------------------------
 */

static void show_progress(struct drive *d, size_t size)
{
    const struct replay_request *request = d->request;
    d->bytes += size;
    if (!request->progress || !request->bytes)
        return;
    unsigned percent = (unsigned)(100.0 * (double)d->bytes / (double)request->bytes);
    if (percent > d->percent && percent < 100) {
        d->percent = percent;
        terminal_bar(request->progress, percent, 100);
    }
}

static bool has_ended(struct drive *d)
{
    return atomic_load(&interrupted) || atomic_load(&d->failed);
}

/* The location has come to its end. */
static void note_end(struct drive *d, struct replay_block *block)
{
    struct replay_outcome *outcome = d->outcome;
    outcome->ends_early[block->location] = block->damaged;
    if (block->error && drive_fail_with(d, block->error))
        outcome->read_location = block->location;
    replay_workers_drop(d->workers, block);
}

static size_t drive_next(void *context, uint32_t location, void **records)
{
    struct drive *d = context;
    if (d->request->peers && !replay_peers_flush(d->request->peers))
        drive_fail(d, "replay", "cannot send to the others");
    if (has_ended(d))
        return 0;
    struct replay_block *block = replay_workers_next(d->workers, location);
    if (!block) {
        drive_fail(d, d->request->traces->path, "out of memory");
        return 0;
    }
    if (!block->size) {
        note_end(d, block);
        return 0;
    }
    *records = block->segment + 1;
    d->current[location] = block;
    show_progress(d, block->size);
    return block->size;
}

static void drive_done(void *context, uint32_t location, void *records, size_t size)
{
    struct drive *d = context;
    struct replay_block *block = d->current[location];
    (void)records;
    block->size = size;
    d->current[location] = NULL;
    replay_workers_put(d->workers, block);
}

static void drive_wait(void *context, const struct replay_wait *wait)
{
    struct drive *d = context;
    struct replay_block *block = d->current[wait->location];
    if (block && !replay_block_wait(block, wait))
        drive_fail(d, d->request->traces->path, "out of memory");
}

static bool drive_violation(void *context, const struct replay_violation *violation)
{
    struct drive *d = context;
    struct replay_outcome *outcome = d->outcome;
    if (outcome->violation_count < REPLAY_VIOLATIONS_KEPT)
        outcome->violations[outcome->violation_count++] = *violation;
    if (violation->location[1] == UINT32_MAX && !outcome->missing.rule)
        outcome->missing = *violation;
    return !d->request->stop;
}

/* After a failure the others are told nothing more but that, when this process leaves. */
static void drive_publish(void *context, const struct replay_update *update)
{
    struct drive *d = context;
    if (!has_ended(d) && !replay_peers_publish(d->request->peers, update))
        drive_fail(d, d->request->traces->path, "out of memory");
}

static bool drive_receive(void *context, struct replay_update *update)
{
    struct drive *d = context;
    if (has_ended(d))
        return false;
    d->outcome->elsewhere = !replay_peers_receive(d->request->peers, update);
    return !d->outcome->elsewhere;
}

/* --- Setting it up --------------------------------------------------------------------------------------------------
 */

static void close_writers(struct drive *d)
{
    for (uint32_t i = 0; d->writers && i < d->request->traces->count; i++) {
        if (!is_others(d, i) && !d->writers[i].file && !has_ended(d))
            begin_trace(d, i); /* of a location without events */
        if (!trace_writer_close(&d->writers[i]))
            drive_fail(d, d->request->write_to, strerror(errno));
    }
}

/* None where they are to stay, or another replay has removed them. */
static struct replay_sites sites_of(const struct drive *d, const struct trace_location *from)
{
    const struct trace_directory *traces = d->request->traces;
    const struct profile_site_cost *cost = &traces->sites[from->process];
    if (d->request->as_measured || from->file->header.flags & PCOMP_TRACE_APPROXIMATED)
        return (struct replay_sites){0};
    return (struct replay_sites){.call = cost->call / traces->tick_ns * (1 << PCOMP_FIX_SHIFT),
                                 .call_doubt = cost->call_deviation,
                                 .share = cost->share,
                                 .share_doubt = cost->share_deviation};
}

static void run(struct drive *d)
{
    static const int64_t no_alpha[PCOMP_EVENT_KINDS]; /* which no context adds to */
    const struct trace_directory *traces = d->request->traces;
    struct replay_outcome *outcome = d->outcome;
    struct replay_location *locations = calloc(traces->count, sizeof *locations);
    struct replay_io io = {.context = d,
                           .next = drive_next,
                           .done = drive_done,
                           .wait = drive_wait,
                           .violation = drive_violation,
                           .publish = d->request->peers ? drive_publish : NULL,
                           .receive = d->request->peers ? drive_receive : NULL};
    struct replay_tasks tasks = {d, read_block, finish_block};
    uint32_t own = 0;
    for (uint32_t i = 0; locations && i < traces->count; i++) {
        const struct trace_location *from = &traces->locations[i];
        locations[i] =
            (struct replay_location){.process = from->process,
                                     .rank = from->file->header.rank,
                                     .alpha = d->request->as_measured ? no_alpha : from->file->header.alpha,
                                     .context = from->file->context,
                                     .protocols = {from->file->header.eager_max, from->file->header.rendezvous_min},
                                     .machine = from->file->header.node,
                                     .sites = sites_of(d, from),
                                     .remote = is_others(d, i)};
        trace_file_rewind(from->file);
        own += !is_others(d, i);
    }
    d->workers = locations ? replay_workers_begin(&tasks, traces->count, own, d->request->jobs) : NULL;
    if (!d->workers) {
        drive_fail(d, "replay", "out of memory");
        free(locations);
        return;
    }
    if (d->request->progress)
        terminal_bar(d->request->progress, 0, 100);
    for (uint32_t i = 0; i < traces->count; i++)
        if (!is_others(d, i))
            replay_workers_expect(d->workers, i);
    outcome->end =
        replay_run(locations, traces->count, &d->request->options, &io, outcome->locations, &outcome->result);
    for (uint32_t i = 0; i < traces->count; i++) /* the replay ended early */
        replay_workers_drop(d->workers, d->current[i]);
    replay_workers_end(d->workers);
    free(locations);
}

/* False: out of memory. */
static bool allocate(struct drive *d, uint32_t count)
{
    struct replay_outcome *outcome = d->outcome;
    outcome->locations = calloc(count, sizeof *outcome->locations);
    outcome->ends_early = calloc(count, sizeof *outcome->ends_early);
    outcome->trees = calloc(count, sizeof *outcome->trees);
    d->current = calloc(count, sizeof *d->current);
    d->cut = calloc(count, sizeof *d->cut);
    d->writers = d->request->write_to ? calloc(count, sizeof *d->writers) : NULL;
    bool ok = outcome->locations && outcome->ends_early && outcome->trees && d->current && d->cut &&
              (d->writers || !d->request->write_to);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = path_tree_init(&outcome->trees[i]);
    return ok;
}

bool replay_drive(const struct replay_request *request, struct replay_outcome *outcome)
{
    uint32_t count = request->traces->count;
    struct drive d = {.request = request, .outcome = outcome};
    *outcome = (struct replay_outcome){.end = REPLAY_NO_MEMORY, .read_location = UINT32_MAX, .others = request->others};
    bool ok = allocate(&d, count);
    if (ok) {
        run(&d);
        close_writers(&d);
    } else
        drive_fail(&d, request->traces->path, "out of memory");
    free(d.current);
    free(d.cut);
    free(d.writers);
    for (uint32_t i = 0; ok && i < count; i++) {
        path_tree_end(&outcome->trees[i]);
        outcome->has_messages |= outcome->trees[i].has_messages;
        if (!is_others(&d, i))
            composition_add(outcome->composition, i, &outcome->locations[i], &outcome->trees[i]);
    }
    if (request->progress)
        terminal_bar(request->progress, 100, 100);
    outcome->interrupted = atomic_load(&interrupted);
    bool good = outcome->end == REPLAY_DONE && !*outcome->error && !outcome->interrupted;
    return good && (!request->peers || outcome_share(outcome, request->peers));
}

void replay_outcome_free(struct replay_outcome *outcome, uint32_t locations)
{
    for (uint32_t i = 0; outcome->trees && i < locations; i++)
        path_tree_free(&outcome->trees[i]);
    free(outcome->trees);
    free(outcome->locations);
    free(outcome->ends_early);
    outcome_unshare(outcome);
    *outcome = (struct replay_outcome){0};
}

bool replay_share_locations(const struct trace_directory *traces, const struct replay_peers *peers, bool **others)
{
    int count = replay_peers_count(peers);
    double all = (double)trace_directory_bytes(traces) + 1, before = 0;
    if (count == 1)
        return true;
    *others = calloc(traces->count, sizeof **others);
    for (uint32_t first = 0, end = 0; *others && first < traces->count; first = end) {
        double bytes = 0;
        for (; end < traces->count && traces->locations[end].process == traces->locations[first].process; end++)
            bytes += (double)traces->locations[end].file->size;
        int owner = (int)((before + bytes / 2) / all * count);
        for (uint32_t i = first; i < end; i++)
            (*others)[i] = owner != replay_peers_rank(peers);
        before += bytes;
    }
    return *others;
}
