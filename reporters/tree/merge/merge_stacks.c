#include "reporters/tree/merge/merge_stacks.h"

#include "compensation/numeric/array.h"
#include "reporters/tree/merge/scope_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCOPES_MAX   32
#define COVERAGE     0.8 /* of the processor time: less than that is said ... */
#define COVERAGE_MIN 2e8 /* ... of threads that ran so long, ns */
#define NO_FUNCTION  UINT32_MAX

struct known_frame { /* a frame of the file */
    const struct pcomp_stack_frame *record;
    uint32_t timed, below;  /* nodes: the innermost timed one, and where what this frame calls is found */
    uint32_t first, count;  /* its counted functions, outermost first, in stacks.functions */
    bool is_timed, unknown; /* a timed activation; its callers are not known */
};

struct stacks { /* of one thread */
    struct merge *m;
    struct scope_functions *scopes;
    struct known_frame *frames; /* by number minus 1 */
    uint32_t count, thread;
    uint32_t *functions; /* of the function table */
    size_t function_count, function_room;
    uint32_t *seen, stamp; /* by function of the table */
    double brief_sampled;  /* ns of threads that ran for less than COVERAGE_MIN */
    bool failed;
};

static bool note_function(struct stacks *s, uint32_t function)
{
    if (!ARRAY_ROOM(s->functions, s->function_count, s->function_room))
        return false;
    s->functions[s->function_count++] = function;
    return true;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

/* The merged node of a timed activation; 0: it is not in the tree. */
static uint32_t timed_node(const struct stacks *s, uint64_t link)
{
    uint32_t index = link ? profile_node_index(s->m->file, link) : PROFILE_NONE;
    uint32_t merged = index == PROFILE_NONE ? 0 : s->m->places[index].merged;
    return merged > PLACED_MAX ? 0 : merged;
}

/* Functions at the address of a frame that are inside the timed one, or all of them where there is none. */
static bool find_functions(struct stacks *s, struct known_frame *k, uint32_t timed_function)
{
    uint32_t ids[SCOPES_MAX];
    size_t count = k->record->pc > PCOMP_STACK_LIBRARY
                       ? scope_functions_at(s->scopes, k->record->pc, ids, SCOPES_MAX, &s->failed)
                       : 0;
    size_t inside = count;
    for (size_t i = count; i-- > 0 && timed_function != NO_FUNCTION;)
        if (s->m->function_of[ids[i]] == timed_function)
            inside = i;
    if (timed_function != NO_FUNCTION && inside == count)
        inside = count ? count - 1 : 0; /* inlined, or a region: the function around is its caller */
    k->first = (uint32_t)s->function_count;
    for (size_t i = inside; i-- > 0;)
        if (!note_function(s, s->m->function_of[ids[i]]))
            return false;
    k->count = (uint32_t)(s->function_count - k->first);
    return true;
}

/* The node of a timed function that the activations of node `timed` called; NO_NODE: it has none. A sample of the
 * kernel may be of an activation that had ended when it was read. */
static uint32_t timed_child(const struct tree_builder *b, uint32_t timed, uint32_t function)
{
    if (b->functions.functions[function].fell)
        return NO_NODE;
    uint32_t node = tree_builder_find(b, timed, function);
    return node != NO_NODE && (b->nodes[node].calls || b->nodes[node].open) ? node : NO_NODE;
}

static void descend(struct stacks *s, struct known_frame *k)
{
    struct tree_builder *b = s->m->b;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t function = s->functions[k->first + i], timed = timed_child(b, k->timed, function);
        if (timed == NO_NODE) {
            k->below = tree_builder_node(b, k->below, function, NO_NODE);
            continue;
        }
        k->timed = k->below = timed;
        k->is_timed = true;
        k->first += i + 1; /* those before are of timed ones */
        k->count -= i + 1;
        i = UINT32_MAX;
    }
}

static bool place_frame(struct stacks *s, uint32_t index)
{
    struct tree_builder *b = s->m->b;
    struct known_frame *k = &s->frames[index];
    uint32_t parent = k->record->parent;
    const struct known_frame *outer = parent && parent <= index ? &s->frames[parent - 1] : NULL;
    uint32_t timed = timed_node(s, k->record->node);
    k->is_timed = timed != 0;
    k->unknown = k->record->pc == PCOMP_STACK_UNKNOWN;
    k->timed = timed ? timed : outer ? outer->timed : 0;
    k->below = timed ? timed : outer ? outer->below : 0;
    if (!find_functions(s, k, timed ? b->nodes[timed].function : NO_FUNCTION) ||
        !tree_builder_reserve(b, k->count + (size_t)1))
        return false;
    descend(s, k);
    return true;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static bool add_outer(struct build_stacks *to, struct stack_share *share, uint32_t function)
{
    if (!ARRAY_ROOM(to->outer, to->outer_count, to->outer_room))
        return false;
    to->outer[to->outer_count++] = function;
    share->outer_count++;
    return true;
}

/* Counted functions outside of the innermost timed activation: they contain the sample, too, and no node of the tree
 * says so. Each once, and none that is also inside, or timed outside. */
static bool add_outer_functions(struct stacks *s, const struct known_frame *k, struct stack_share *share)
{
    struct tree_builder *b = s->m->b;
    uint32_t number;
    bool outside = false;
    s->stamp++;
    for (uint32_t node = k->below; node != k->timed; node = b->nodes[node].parent)
        s->seen[b->nodes[node].function] = s->stamp;
    for (uint32_t node = k->timed; node; node = b->nodes[node].parent)
        s->seen[b->nodes[node].function] = s->stamp;
    for (number = (uint32_t)(k - s->frames) + 1; number; number = s->frames[number - 1].record->parent) {
        const struct known_frame *at = &s->frames[number - 1];
        for (uint32_t i = 0; outside && i < at->count; i++) {
            uint32_t function = s->functions[at->first + i];
            if (s->seen[function] != s->stamp && !add_outer(&b->stacks, share, function))
                return false;
            s->seen[function] = s->stamp;
        }
        outside |= at->is_timed;
        if (at->record->parent >= number)
            break;
    }
    return true;
}

static bool add_samples(struct stacks *s, const struct known_frame *k)
{
    struct build_stacks *to = &s->m->b->stacks;
    double weight = (double)k->record->weight;
    if (!ARRAY_ROOM(to->shares, to->share_count, to->share_room))
        return false;
    to->hits += k->record->hits;
    if (k->record->pc == PCOMP_STACK_LIBRARY) {
        to->library += weight;
        return true;
    }
    struct stack_share *share = &to->shares[to->share_count++];
    *share =
        (struct stack_share){k->timed, k->below, s->thread, weight, fmin(k->record->hits, weight), to->outer_count, 0};
    return add_outer_functions(s, k, share);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static int by_owner(const void *x, const void *y)
{
    const struct profile_chunk *a = *(const struct profile_chunk *const *)x,
                               *b = *(const struct profile_chunk *const *)y;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The frames of the thread that chunk 0 is of; returns how many chunks are. */
static size_t read_frames(struct stacks *s, const struct profile_chunk *const *chunks, size_t chunk_count)
{
    const struct profile_file *f = s->m->file;
    size_t used = 0;
    s->count = 0;
    for (; used < chunk_count && chunks[used]->owner == chunks[0]->owner; used++)
        for (uint32_t i = 0; i < chunks[used]->count; i++)
            s->frames[s->count++].record = (const struct pcomp_stack_frame *)(f->data + chunks[used]->records +
                                                                              (uint64_t)i * chunks[used]->stride);
    return used;
}

static double processor_ns(const struct pcomp_thread *t)
{
    return fmax(0, (double)(int64_t)(t->cpu1_ns - t->cpu0_ns));
}

static bool is_brief(const struct profile_file *f, const struct pcomp_thread *t)
{
    return processor_ns(t) <= COVERAGE_MIN * (double)profile_threads_of(f, t);
}

/* Signals may have been blocked, or buffers full. */
static void check_coverage(struct stacks *s, const struct pcomp_thread *t)
{
    double sampled = 0, run = processor_ns(t);
    for (uint32_t i = 0; i < s->count; i++)
        sampled += (double)s->frames[i].record->weight * s->m->b->stacks.period;
    if (is_brief(s->m->file, t))
        s->brief_sampled += sampled;
    else if (sampled < COVERAGE * run)
        tree_warn(s->m->b, "thread %d (%.32s): samples tell of %.0f %% of its processor time alone", t->tid, t->name,
                  100 * sampled / run);
}

static bool add_thread(struct stacks *s)
{
    s->function_count = 0;
    tree_builder_owner(s->m->b, s->thread);
    for (uint32_t i = 0; i < s->count; i++)
        if (!place_frame(s, i))
            return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->frames[i].record->weight && !add_samples(s, &s->frames[i]))
            return false;
    return !s->failed;
}

/* Threads that end sooner than a sample's period have hardly any. */
static void check_brief_threads(const struct stacks *s, const uint32_t *thread_of)
{
    double run = 0;
    uint64_t threads = 0;
    for (uint32_t t = 0; t < s->m->file->thread_count; t++) {
        const struct pcomp_thread *record = s->m->file->threads[t].record;
        double own = processor_ns(record);
        if (thread_of[t] == NO_NODE || !(own > 0) || !is_brief(s->m->file, record))
            continue;
        run += own;
        threads += profile_threads_of(s->m->file, record);
    }
    if (run > COVERAGE_MIN && s->brief_sampled < COVERAGE * run)
        tree_warn(s->m->b,
                  "%llu threads ran for less than %.1f s each: samples tell of %.0f %% of their processor time alone, "
                  "and their times are off by more than is said",
                  (unsigned long long)threads, COVERAGE_MIN / 1e9, 100 * s->brief_sampled / run);
}

/* of: chunks by owner, the index of a thread; place_of[index]: which of the file's. */
static bool add_threads(struct stacks *s, const struct profile_chunk *const *of, size_t count, const uint32_t *place_of,
                        const uint32_t *thread_of)
{
    const struct profile_file *f = s->m->file;
    bool ok = true;
    for (size_t i = 0, more_chunks; ok && i < count; i += more_chunks) {
        uint32_t owner = of[i]->owner;
        more_chunks = read_frames(s, of + i, count - i);
        uint32_t t = owner < f->thread_count ? place_of[owner] : NO_NODE;
        if (t == NO_NODE || thread_of[t] == NO_NODE)
            continue; /* left out, or damaged */
        s->thread = thread_of[t];
        ok = add_thread(s);
        check_coverage(s, f->threads[t].record);
    }
    return ok;
}

bool merge_stacks(struct merge *m, const uint32_t *thread_of)
{
    const struct profile_file *f = m->file;
    const struct pcomp_header *h = &f->header;
    struct build_stacks *to = &m->b->stacks;
    size_t frames = 0, count = 0;
    if (!h->sampler || !(h->flags & PCOMP_FLAG_COUNTS))
        return true;
    to->period = (double)h->sample_period_ns;
    if (h->samples)
        to->cost = profile_sampling_ns(f) / (double)h->samples;
    const struct profile_chunk **chunks = malloc((f->chunk_count + (size_t)1) * sizeof *chunks);
    for (uint32_t c = 0; chunks && c < f->chunk_count; c++)
        if (f->chunks[c].kind == PCOMP_CHUNK_STACKS) {
            chunks[count++] = &f->chunks[c];
            frames += f->chunks[c].count;
        }
    struct stacks s = {.m = m,
                       .scopes = scope_functions_new(f, m->b->options->totals_alone ? NULL : &m->b->open),
                       .frames = calloc(frames + 1, sizeof *s.frames),
                       .seen = calloc(m->b->functions.count, sizeof *s.seen)};
    uint32_t *place_of = malloc((f->thread_count + (size_t)1) * sizeof *place_of);
    if (place_of)
        memset(place_of, 0xff, (f->thread_count + (size_t)1) * sizeof *place_of);
    bool ok = chunks && place_of && s.scopes && s.frames && s.seen && tree_builder_index(m->b);
    if (ok && count)
        qsort(chunks, count, sizeof *chunks, by_owner);
    for (uint32_t t = 0; ok && t < f->thread_count; t++)
        if (f->threads[t].record->index < f->thread_count)
            place_of[f->threads[t].record->index] = t;
    ok = ok && add_threads(&s, chunks, count, place_of, thread_of);
    if (ok)
        check_brief_threads(&s, thread_of);
    scope_functions_free(s.scopes);
    free(chunks);
    free(place_of);
    free(s.frames);
    free(s.functions);
    free(s.seen);
    return ok;
}
