#include "reporters/replay/replay_profile.h"

#include "compensation/trace_event/alpha.h"
#include "reporters/profile/data_directory.h"
#include "reporters/profile/profile_calls.h"
#include "reporters/profile/profile_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE   4096u
#define REGION (1ull << 55) /* in the value of an ENTER */

/* A file that is written from its begin to its end. A link is an offset: the base is 0. */
struct profile_out {
    FILE *stream;
    uint64_t offset;
    const struct trace_directory *traces;
    const struct replay_outcome *outcome;
    uint32_t process;
    uint32_t first, count;       /* its locations */
    struct profile_file *from;   /* the measured profile; NULL missing */
    struct profile_calls *calls; /* of its functions */
    struct pcomp_header header;  /* of the new one */
    uint64_t *functions;         /* values of ENTER events, sorted: id less PCOMP_FUNCTION_FIRST */
    size_t function_count;
    uint64_t *module_paths, *region_names; /* links, by module and by function */
    uint64_t root_name, beyond_name;       /* links */
};

/* --- Chunks ---------------------------------------------------------------------------------------------------------
 */

static void put(struct profile_out *o, const void *data, size_t size)
{
    fwrite(data, 1, size, o->stream);
    o->offset += size;
}

static void pad(struct profile_out *o)
{
    static const char zeroes[PAGE];
    put(o, zeroes, (PAGE - o->offset % PAGE) % PAGE);
}

static void begin_chunk(struct profile_out *o, uint32_t kind, uint32_t owner, uint32_t record, uint64_t bytes,
                        uint32_t count)
{
    struct pcomp_chunk chunk = {.magic = PCOMP_CHUNK_MAGIC,
                                .kind = kind,
                                .size = (sizeof chunk + bytes + PAGE - 1) / PAGE * PAGE,
                                .owner = owner,
                                .record_size = record,
                                .capacity = count,
                                .count = count};
    put(o, &chunk, sizeof chunk);
}

/* --- Texts ----------------------------------------------------------------------------------------------------------
 */

struct texts {
    FILE *stream;
    char *data;
    size_t size;
    uint64_t base; /* link of the first */
};

static uint64_t add_text(struct texts *t, const char *text, size_t size)
{
    if (!text)
        return 0;
    uint64_t link = t->base + (uint64_t)ftell(t->stream);
    fwrite(text, 1, size, t->stream);
    fputc(0, t->stream);
    return link;
}

static uint64_t copy_text(struct texts *t, const struct profile_out *o, uint64_t link)
{
    const char *text = o->from && link ? profile_text(o->from, link) : NULL;
    return text ? add_text(t, text, strlen(text)) : 0;
}

/* Arguments with a NUL between, and two at the end. */
static uint64_t copy_command(struct texts *t, const struct profile_out *o)
{
    size_t room, size = 0;
    const char *block = o->from ? profile_text_block(o->from, o->from->header.command_link, &room) : NULL;
    if (!block)
        return 0;
    while (size < room && (block[size] || (size && block[size - 1])))
        size++;
    return add_text(t, block, size);
}

static const char *region_name(const struct profile_out *o, uint64_t address)
{
    for (uint32_t i = 0; o->from && i < o->from->function_count; i++) {
        const struct pcomp_function *f = o->from->functions[i];
        if (f->flags & PCOMP_FUNCTION_REGION && f->address == address)
            return profile_text(o->from, f->name_link);
    }
    return "[region]";
}

static bool write_texts(struct profile_out *o)
{
    struct texts t = {.base = o->offset + sizeof(struct pcomp_chunk)};
    uint32_t modules = o->from ? o->from->module_count : 0;
    o->module_paths = calloc(modules + (size_t)1, sizeof *o->module_paths);
    o->region_names = calloc(o->function_count + 1, sizeof *o->region_names);
    t.stream = open_memstream(&t.data, &t.size);
    if (!o->module_paths || !o->region_names || !t.stream) {
        if (t.stream)
            fclose(t.stream);
        free(t.data);
        return false;
    }
    o->root_name = add_text(&t, "[root]", 6);
    o->beyond_name = add_text(&t, "[beyond limit]", 14);
    o->header.command_link = copy_command(&t, o);
    o->header.exe_link = copy_text(&t, o, o->header.exe_link);
    o->header.cwd_link = copy_text(&t, o, o->header.cwd_link);
    for (uint32_t i = 0; i < modules; i++)
        o->module_paths[i] = copy_text(&t, o, o->from->modules[i]->path_link);
    for (size_t i = 0; i < o->function_count; i++) {
        const char *name = o->functions[i] & REGION ? region_name(o, o->functions[i] & ~REGION) : NULL;
        o->region_names[i] = name ? add_text(&t, name, strlen(name)) : 0;
    }
    bool ok = fclose(t.stream) == 0 && t.size < UINT32_MAX;
    if (ok) {
        begin_chunk(o, PCOMP_CHUNK_STRINGS, 0, 1, t.size, (uint32_t)t.size);
        put(o, t.data, t.size);
        pad(o);
    }
    free(t.data);
    return ok;
}

/* --- Functions and modules ------------------------------------------------------------------------------------------
 */

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether calls of the function were counted in place, from some time on; in the measured profile. */
static bool is_counted(const struct profile_out *o, uint32_t id)
{
    return o->from->functions[id]->flags & PCOMP_FUNCTION_COUNTED;
}

static bool find_functions(struct profile_out *o)
{
    size_t room = 1, count = 0;
    for (uint32_t i = 0; i < o->count; i++)
        room += o->outcome->trees[o->first + i].node_count + o->outcome->trees[o->first + i].suppressed_count;
    room += o->from ? o->from->function_count : 0;
    uint64_t *values = malloc(room * sizeof *values);
    if (!values)
        return false;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct path_tree *tree = &o->outcome->trees[o->first + i];
        for (uint32_t n = PATH_BEYOND + 1; n < tree->node_count; n++)
            values[count++] = tree->nodes[n].function;
        for (uint32_t n = 0; n < tree->suppressed_count; n++)
            values[count++] = tree->suppressed[n].function;
    }
    for (uint32_t id = PCOMP_FUNCTION_FIRST; o->from && id < o->from->function_count; id++)
        if (is_counted(o, id)) /* also where no call was recorded */
            values[count++] = trace_modules_value(o->from, o->from->functions[id]);
    qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++)
        if (!o->function_count || values[o->function_count - 1] != values[i])
            values[o->function_count++] = values[i];
    o->functions = values;
    return true;
}

static uint32_t function_id(const struct profile_out *o, uint32_t node, uint64_t value)
{
    if (node == PATH_ROOT)
        return PCOMP_FUNCTION_ROOT;
    if (node == PATH_BEYOND)
        return PCOMP_FUNCTION_BEYOND;
    const uint64_t *at = bsearch(&value, o->functions, o->function_count, sizeof value, compare_values);
    return PCOMP_FUNCTION_FIRST + (uint32_t)(at - o->functions);
}

static uint64_t recorded_calls(const struct profile_out *o, uint64_t function)
{
    uint64_t calls = 0;
    for (uint32_t i = o->first; i < o->first + o->count; i++)
        for (uint32_t n = PATH_BEYOND + 1; n < o->outcome->trees[i].node_count; n++)
            calls += o->outcome->trees[i].nodes[n].function == function ? o->outcome->trees[i].nodes[n].calls : 0;
    return calls;
}

/* Calls that the measured profile has and no trace. */
static uint64_t counted_calls(const struct profile_out *o, uint64_t function)
{
    uint64_t calls = 0;
    for (uint32_t id = 0; o->from && id < o->from->function_count; id++) {
        bool counted = is_counted(o, id) && trace_modules_value(o->from, o->from->functions[id]) == function;
        calls += counted ? profile_calls_all(&o->calls[id]) : 0;
    }
    uint64_t recorded = calls ? recorded_calls(o, function) : 0;
    return calls > recorded ? calls - recorded : 0;
}

static uint64_t suppressed_calls(const struct profile_out *o, uint64_t function)
{
    uint64_t calls = counted_calls(o, function);
    for (uint32_t i = o->first; i < o->first + o->count; i++) {
        const struct path_tree *tree = &o->outcome->trees[i];
        for (uint32_t n = 0; n < tree->suppressed_count; n++)
            calls += tree->suppressed[n].function == function ? tree->suppressed[n].calls : 0;
    }
    return calls;
}

static void write_functions(struct profile_out *o)
{
    uint32_t count = (uint32_t)o->function_count + PCOMP_FUNCTION_FIRST;
    begin_chunk(o, PCOMP_CHUNK_FUNCTIONS, 0, sizeof(struct pcomp_function),
                count * (uint64_t)sizeof(struct pcomp_function), count);
    put(o, &(struct pcomp_function){.module = UINT32_MAX, .name_link = o->root_name}, sizeof(struct pcomp_function));
    put(o, &(struct pcomp_function){.module = UINT32_MAX, .name_link = o->beyond_name}, sizeof(struct pcomp_function));
    for (size_t i = 0; i < o->function_count; i++) {
        struct pcomp_function f = {.address = trace_modules_address(o->functions[i]), .module = UINT32_MAX};
        if (o->functions[i] & REGION) {
            f.flags = PCOMP_FUNCTION_REGION;
            f.name_link = o->region_names[i];
        } else {
            f.module = o->from ? trace_modules_find(o->from, o->functions[i]) : UINT32_MAX;
            if (f.module != UINT32_MAX && o->from->modules[f.module]->unloaded)
                f.flags = PCOMP_FUNCTION_UNLOADED;
            f.suppressed = suppressed_calls(o, o->functions[i]);
            f.flags |= f.suppressed ? PCOMP_FUNCTION_SUPPRESSED : 0;
        }
        put(o, &f, sizeof f);
    }
    pad(o);
}

/* How well the number of calls is known of functions that were sampled: what the windows told, as it was. */
static void write_windows(struct profile_out *o)
{
    for (uint32_t c = 0; o->from && c < o->from->chunk_count; c++) {
        const struct profile_chunk *chunk = &o->from->chunks[c];
        if (chunk->kind != PCOMP_CHUNK_WINDOWS || !chunk->count)
            continue;
        begin_chunk(o, PCOMP_CHUNK_WINDOWS, 0, sizeof(struct pcomp_sampled_calls),
                    chunk->count * (uint64_t)sizeof(struct pcomp_sampled_calls), chunk->count);
        for (uint32_t i = 0; i < chunk->count; i++) {
            struct pcomp_sampled_calls r;
            memcpy(&r, o->from->data + chunk->records + (uint64_t)i * chunk->stride, sizeof r);
            uint64_t function =
                r.function < o->from->function_count ? trace_modules_value(o->from, o->from->functions[r.function]) : 0;
            const uint64_t *at = bsearch(&function, o->functions, o->function_count, sizeof function, compare_values);
            r.function = at ? PCOMP_FUNCTION_FIRST + (uint32_t)(at - o->functions) : UINT32_MAX;
            r.exact = 0; /* of its calls, those that are exact are `suppressed` with the others */
            put(o, &r, sizeof r);
        }
        pad(o);
    }
}

static void write_modules(struct profile_out *o)
{
    uint32_t count = o->from ? o->from->module_count : 0;
    begin_chunk(o, PCOMP_CHUNK_MODULES, 0, sizeof(struct pcomp_module), count * (uint64_t)sizeof(struct pcomp_module),
                count);
    for (uint32_t i = 0; i < count; i++) {
        struct pcomp_module m = *o->from->modules[i];
        m.path_link = o->module_paths[i];
        m.gone_tick = 0; /* of measured time: events of approximated time have marks instead */
        put(o, &m, sizeof m);
    }
    pad(o);
}

/* --- Threads --------------------------------------------------------------------------------------------------------
 */

/* What the measured profile says of the thread; NULL nothing. */
static const struct pcomp_thread *measured_thread(const struct profile_out *o, const struct pcomp_trace_header *h)
{
    for (uint32_t i = 0; o->from && i < o->from->thread_count; i++)
        if (o->from->threads[i].record->tid == h->tid && o->from->threads[i].record->index == h->location)
            return o->from->threads[i].record;
    return NULL;
}

static void write_thread(struct profile_out *o, uint32_t location)
{
    const struct path_tree *tree = &o->outcome->trees[location];
    const struct pcomp_trace_header *h = &o->traces->locations[location].file->header;
    const struct pcomp_thread *from = measured_thread(o, h);
    uint64_t nodes = o->offset + PAGE + sizeof(struct pcomp_chunk); /* the next chunk's records */
    struct pcomp_thread thread = {.start_tick = tree->first, .end_tick = tree->last};
    if (from) {
        thread = *from;
        thread.creator_link = thread.uncertain = thread.backwards = thread.beyond_depth = thread.paused_ticks = 0;
    }
    thread.index = location - o->first;
    thread.tid = h->tid;
    thread.flags = h->flags & PCOMP_TRACE_MAIN ? PCOMP_THREAD_MAIN : 0;
    thread.stack_count = 0;
    if (!from)
        memcpy(thread.name, h->name, sizeof thread.name - 1);
    thread.root_link = nodes + PATH_ROOT * sizeof(struct pcomp_node);
    thread.beyond_link = nodes + PATH_BEYOND * sizeof(struct pcomp_node);
    thread.abandoned = tree->unwound + tree->stack.without_exit;
    thread.unmatched = tree->stack.unmatched;
    thread.node_count = tree->node_count;
    begin_chunk(o, PCOMP_CHUNK_THREAD, thread.index, sizeof thread, sizeof thread, 1);
    put(o, &thread, sizeof thread);
    pad(o);
}

static void write_nodes(struct profile_out *o, uint32_t location)
{
    const struct path_tree *tree = &o->outcome->trees[location];
    uint64_t nodes = o->offset + sizeof(struct pcomp_chunk);
    begin_chunk(o, PCOMP_CHUNK_NODES, location - o->first, sizeof(struct pcomp_node),
                tree->node_count * (uint64_t)(sizeof(struct pcomp_node) + sizeof(struct pcomp_node_extra)),
                tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const struct path_node *from = &tree->nodes[i];
        struct pcomp_node node = {.parent = i == PATH_ROOT ? 0 : nodes + from->parent * sizeof node,
                                  .calls = from->calls,
                                  .spread = PCOMP_SPREAD_NONE,
                                  .min = INT64_MAX,
                                  .top = INT64_MIN};
        if (i > PATH_BEYOND) {
            node.function = trace_modules_address(from->function);
            node.raw = from->measured;
            node.compensated = from->approximated * (1 << PCOMP_FIX_SHIFT);
        }
        if (i > PATH_BEYOND && from->calls) {
            node.min = from->min * (1 << PCOMP_FIX_SHIFT);
            node.top = from->max * (1 << PCOMP_FIX_SHIFT);
        }
        put(o, &node, sizeof node);
    }
    for (uint32_t i = 0; i < tree->node_count; i++) {
        struct pcomp_node_extra extra = {.function_id = function_id(o, i, tree->nodes[i].function)};
        put(o, &extra, sizeof extra);
    }
    pad(o);
}

/* --- The whole ------------------------------------------------------------------------------------------------------
 */

static struct pcomp_delta delta_of(const struct trace_file *trace)
{
    int64_t enter = alpha_in_context(trace->header.alpha[PCOMP_EVENT_ENTER], 1, &trace->context),
            exit = alpha_in_context(trace->header.alpha[PCOMP_EVENT_EXIT], 1, &trace->context),
            spread = (int64_t)hypot(alpha_deviation((double)enter, (double)trace->alpha_spread),
                                    (double)trace->context.error);
    return (struct pcomp_delta){.own = enter,
                                .descendant = enter + exit,
                                .own_spread = spread,
                                .descendant_spread = 2 * spread,
                                .repetitions = 1,
                                .batch = 1};
}

/* Calls that a killed thread had counted, and not come to tell of which functions. */
static uint64_t untold_calls(const struct profile_out *o, uint32_t location)
{
    const struct pcomp_trace_header *h = &o->traces->locations[location].file->header;
    const struct path_tree *tree = &o->outcome->trees[location];
    uint64_t reported = 0;
    for (uint32_t i = 0; i < tree->suppressed_count; i++)
        reported += tree->suppressed[i].calls;
    return h->flags & PCOMP_TRACE_CLOSED || reported > h->suppressed ? 0 : h->suppressed - reported;
}

static void make_header(struct profile_out *o, const uint8_t run_id[16], const char *how)
{
    const struct trace_file *trace = o->traces->locations[o->first].file;
    const struct pcomp_trace_header *clock = &o->traces->locations[0].file->header;
    struct pcomp_header *h = &o->header;
    if (o->from)
        *h = o->from->header;
    pcomp_header_identify(h);
    h->counter_count = 0;
    h->base = h->lost_calls = h->late_calls = h->node_count = 0;
    h->model = PCOMP_MODEL_SPLIT;
    h->flags = PCOMP_FLAG_REPLAYED;
    h->clock = o->from ? h->clock : PCOMP_CLOCK_TSC;
    h->state = o->from ? h->state : PCOMP_STATE_CLOSED;
    h->pid = trace->header.pid;
    h->rank = trace->header.rank;
    memcpy(h->run_id, run_id, sizeof h->run_id);
    h->tick0 = clock->tick0;
    h->mono0_ns = clock->mono0_ns;
    h->tick1 = clock->tick1;
    h->mono1_ns = clock->mono1_ns;
    h->tick_hz = clock->tick_hz;
    memset(h->delta_start, 0, sizeof h->delta_start);
    memset(h->delta_exit, 0, sizeof h->delta_exit);
    h->delta_start[PCOMP_VARIANT_REPEAT] = delta_of(trace);
    memset(h->counters, 0, sizeof h->counters);
    memset(h->fitted, 0, sizeof h->fitted);
    snprintf(h->fitted, sizeof h->fitted, "%s", how);
    h->thread_count = o->count;
    for (uint32_t i = o->first; i < o->first + o->count; i++) {
        h->lost_calls += o->outcome->locations[i].lost + untold_calls(o, i);
        h->node_count += o->outcome->trees[i].node_count;
    }
}

/* Also without a measured profile. False: no memory. */
static bool read_calls(struct profile_out *o)
{
    o->calls = calloc(o->from ? o->from->function_count + (size_t)1 : 1, sizeof *o->calls);
    if (o->calls && o->from)
        profile_calls_read(o->from, o->calls);
    return o->calls != NULL;
}

static bool write_profile(struct profile_out *o)
{
    static const struct pcomp_header empty;
    put(o, &empty, sizeof empty);
    if (!read_calls(o) || !find_functions(o) || !write_texts(o))
        return false;
    write_modules(o);
    write_functions(o);
    write_windows(o);
    for (uint32_t i = o->first; i < o->first + o->count; i++) {
        write_thread(o, i);
        write_nodes(o, i);
    }
    o->header.used = o->header.capacity = o->offset;
    rewind(o->stream);
    fwrite(&o->header, sizeof o->header, 1, o->stream);
    errno = 0;
    return fflush(o->stream) == 0 && !ferror(o->stream);
}

/* A damaged profile serves as far as it goes. */
static struct profile_file *open_measured(const char *path)
{
    struct pcomp_header header;
    char error[512];
    if (!path || !profile_file_read_header(path, &header, error, sizeof error))
        return NULL;
    return profile_file_open(path, data_process_runs(&header) ? PROFILE_LIVE : PROFILE_ENDED, true, error,
                             sizeof error);
}

bool replay_profiles_write(const struct trace_directory *traces, const struct replay_outcome *outcome,
                           const uint8_t run_id[16], const char *how, const char *to, char *error, size_t error_size)
{
    bool ok = true;
    for (uint32_t first = 0, count; ok && first < traces->count; first += count) {
        struct profile_out o = {.traces = traces, .outcome = outcome, .first = first};
        char path[4300];
        const char *name = strrchr(traces->locations[first].file->path, '/');
        name = name ? name + 1 : traces->locations[first].file->path;
        for (count = 1; first + count < traces->count; count++)
            if (traces->locations[first + count].process != traces->locations[first].process)
                break;
        if (outcome->others && outcome->others[first])
            continue;
        o.count = count;
        o.from = open_measured(traces->profiles[traces->locations[first].process]);
        make_header(&o, run_id, how);
        snprintf(path, sizeof path, "%s/%.*s.pcomp", to, (int)strcspn(name, "."), name);
        o.stream = fopen(path, "wxe");
        ok = o.stream && write_profile(&o);
        int why = errno;
        if (o.stream && fclose(o.stream) != 0 && ok) {
            ok = false;
            why = errno;
        }
        if (!ok)
            snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(why ? why : ENOMEM));
        profile_file_close(o.from);
        free(o.calls);
        free(o.functions);
        free(o.module_paths);
        free(o.region_names);
    }
    return ok;
}
