#include "compensation/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS        1024u
#define SLICE_S        0.05 /* width of a slice at first */
#define SLICE_MIN      8    /* samples without which a slice says nothing */
#define PHASE_MIN      0.05 /* of time: less is no phase, however sure */
#define PHASE_APART    5    /* standard deviations: so that 63 pairs of neighbours rarely differ by chance */
#define DISTANCE_MAX   0.1  /* seconds between samples, however little is allowed */
#define BREADTH_MAX    1e6
#define NOTHING_BEGUN  UINT32_MAX
#define INITIALLY_ROOM 64u

struct pcomp_search {
    struct pcomp_hypothesis *list;
    uint32_t count, room;
    uint32_t buckets[BUCKETS];
    uint32_t at_most;
    double patience;
    uint32_t testing, queued;
    uint32_t *found; /* indices in the order in which they became true; room of them */
    uint32_t found_count, found_reported;
    double samples[PCOMP_SEARCH_STREAMS];
    double unknown[PCOMP_SEARCH_KINDS][PCOMP_SEARCH_AXES];
    struct begun { /* pcomp_search_begin */
        bool is;
        double samples, unknown;
        uint32_t slice;
    } begun[PCOMP_SEARCH_KINDS][PCOMP_SEARCH_AXES];
    double width; /* of a slice, seconds */
    uint32_t slice;
    float counts[PCOMP_SEARCH_STREAMS][PCOMP_SEARCH_SLICES]; /* samples by slice */
    double *value;                                           /* of each hypothesis in the last sample of its stream */
    double *value_at;                                        /* number of that sample */
};

struct pcomp_search *pcomp_search_new(uint32_t at_most, double patience)
{
    struct pcomp_search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    memset(search->buckets, 0xff, sizeof search->buckets);
    search->at_most = at_most;
    search->patience = patience;
    search->width = SLICE_S;
    return search;
}

void pcomp_search_free(struct pcomp_search *search)
{
    if (!search)
        return;
    free(search->list);
    free(search->found);
    free(search->value);
    free(search->value_at);
    free(search);
}

static uint32_t *bucket_of(struct pcomp_search *search, uint32_t why, uint32_t axis, uint32_t focus)
{
    return &search->buckets[(focus * 2654435761u + why * 40503u + axis * 65599u) % BUCKETS];
}

uint32_t pcomp_search_find(const struct pcomp_search *search, uint32_t why, uint32_t axis, uint32_t focus)
{
    uint32_t at = *bucket_of((struct pcomp_search *)search, why, axis, focus);
    while (at != PCOMP_SEARCH_NONE &&
           (search->list[at].why != why || search->list[at].axis != axis || search->list[at].focus != focus))
        at = search->list[at].next;
    return at;
}

static bool grow(void *array, size_t size, uint32_t room)
{
    void *grown = realloc(*(void **)array, size * room);
    if (grown)
        *(void **)array = grown;
    return grown != NULL;
}

static struct begun *begun_of(struct pcomp_search *search, uint32_t why, uint32_t axis)
{
    return why < PCOMP_SEARCH_KINDS && axis < PCOMP_SEARCH_AXES ? &search->begun[why][axis] : NULL;
}

void pcomp_search_begin(struct pcomp_search *search, uint32_t why, uint32_t axis, uint32_t stream)
{
    struct begun *b = begun_of(search, why, axis);
    if (!b || b->is || search->at_most)
        return;
    *b = (struct begun){true, search->samples[stream] - 1, search->unknown[why][axis], search->slice};
}

/* A new one, LATENT. */
static uint32_t create(struct pcomp_search *search, const struct pcomp_hypothesis *hypothesis)
{
    if (search->count == search->room) {
        uint32_t room = search->room ? search->room * 2 : INITIALLY_ROOM;
        if (!grow(&search->list, sizeof *search->list, room) || !grow(&search->found, sizeof *search->found, room) ||
            !grow(&search->value, sizeof *search->value, room) ||
            !grow(&search->value_at, sizeof *search->value_at, room))
            return PCOMP_SEARCH_NONE;
        search->room = room;
    }
    uint32_t *bucket = bucket_of(search, hypothesis->why, hypothesis->axis, hypothesis->focus), at = search->count++;
    struct pcomp_hypothesis *h = &search->list[at];
    const struct begun *begun = begun_of(search, hypothesis->why, hypothesis->axis);
    *h = (struct pcomp_hypothesis){
        .parent = hypothesis->parent,
        .why = hypothesis->why,
        .axis = hypothesis->axis,
        .focus = hypothesis->focus,
        .stream = hypothesis->stream < PCOMP_SEARCH_STREAMS ? hypothesis->stream : 0,
        .threshold = hypothesis->threshold,
        .seen = hypothesis->seen,
        .next = *bucket,
        .first_slice = NOTHING_BEGUN,
    };
    if (begun && begun->is) {
        h->gathers = true;
        h->began_samples = begun->samples;
        h->began_unknown = begun->unknown;
        h->first_slice = begun->slice + 1;
    }
    search->value_at[at] = -1;
    *bucket = at;
    return at;
}

uint32_t pcomp_search_note(struct pcomp_search *search, const struct pcomp_hypothesis *hypothesis)
{
    const struct begun *begun = begun_of(search, hypothesis->why, hypothesis->axis);
    return begun && begun->is ? create(search, hypothesis) : PCOMP_SEARCH_NONE;
}

uint32_t pcomp_search_add(struct pcomp_search *search, const struct pcomp_hypothesis *hypothesis, double now)
{
    uint32_t at = pcomp_search_find(search, hypothesis->why, hypothesis->axis, hypothesis->focus);
    if (at == PCOMP_SEARCH_NONE && (at = create(search, hypothesis)) == PCOMP_SEARCH_NONE)
        return at;
    struct pcomp_hypothesis *h = &search->list[at];
    if (h->state != PCOMP_HYPOTHESIS_LATENT)
        return at;
    h->state = PCOMP_HYPOTHESIS_QUEUED;
    h->parent = hypothesis->parent;
    h->seen = hypothesis->seen;
    h->after_s = now;
    search->queued++;
    return at;
}

uint32_t pcomp_search_count(const struct pcomp_search *search)
{
    return search->count;
}

const struct pcomp_hypothesis *pcomp_search_at(const struct pcomp_search *search, uint32_t index)
{
    return &search->list[index];
}

/* --- Samples ----------------------------------------------------------------------------------------------------- */

/* Two slices become one. */
static void double_width(struct pcomp_search *search)
{
    enum { HALF = PCOMP_SEARCH_SLICES / 2 };
    search->width *= 2;
    for (uint32_t s = 0; s < PCOMP_SEARCH_STREAMS; s++) {
        for (uint32_t i = 0; i < HALF; i++)
            search->counts[s][i] = search->counts[s][2 * i] + search->counts[s][2 * i + 1];
        memset(search->counts[s] + HALF, 0, HALF * sizeof(float));
    }
    for (uint32_t k = 0; k < search->count; k++) {
        struct pcomp_hypothesis *h = &search->list[k];
        for (uint32_t i = 0; i < HALF; i++)
            h->slices[i] = h->slices[2 * i] + h->slices[2 * i + 1];
        memset(h->slices + HALF, 0, HALF * sizeof(float));
        if (h->first_slice != NOTHING_BEGUN)
            h->first_slice = (h->first_slice + 1) / 2;
    }
}

void pcomp_search_sample(struct pcomp_search *search, uint32_t stream, double now)
{
    while (now >= search->width * PCOMP_SEARCH_SLICES)
        double_width(search);
    search->slice = now > 0 ? (uint32_t)(now / search->width) : 0;
    search->samples[stream]++;
    search->counts[stream][search->slice]++;
}

void pcomp_search_value(struct pcomp_search *search, uint32_t index, double value)
{
    struct pcomp_hypothesis *h = &search->list[index];
    double number = search->samples[h->stream], *before = &search->value[index];
    if (search->value_at[index] != number)
        *before = 0;
    search->value_at[index] = number;
    double part = fmin(fmax(value, 0), 1 - *before);
    *before += part;
    h->slices[search->slice] += (float)part;
    if (h->gathers)
        h->began_sum += part;
}

void pcomp_search_unknown(struct pcomp_search *search, uint32_t why, uint32_t axis, double value)
{
    if (why < PCOMP_SEARCH_KINDS && axis < PCOMP_SEARCH_AXES)
        search->unknown[why][axis] += fmax(value, 0);
}

/* --- Deciding ---------------------------------------------------------------------------------------------------- */

static double unknown_of(const struct pcomp_search *search, const struct pcomp_hypothesis *h)
{
    return h->why < PCOMP_SEARCH_KINDS && h->axis < PCOMP_SEARCH_AXES ? search->unknown[h->why][h->axis] : 0;
}

/* Evidence of the test under way joins that of earlier ones. */
static void collect(const struct pcomp_search *search, struct pcomp_hypothesis *h)
{
    h->unknown += unknown_of(search, h) - h->began_unknown;
    h->began_unknown = unknown_of(search, h);
    h->samples += search->samples[h->stream] - h->began_samples;
    h->sum += h->began_sum;
    h->began_samples = search->samples[h->stream];
    h->began_sum = 0;
}

static void begin_test(struct pcomp_search *search, struct pcomp_hypothesis *h, double now)
{
    if (!h->tested) {
        h->tested = true;
        h->began_s = now;
    }
    if (h->first_slice == NOTHING_BEGUN)
        h->first_slice = search->slice + 1;
    h->tested_samples = h->samples;
    h->state = PCOMP_HYPOTHESIS_TESTING;
    search->testing++;
    search->queued--;
    if (h->gathers)
        return;
    h->gathers = true;
    h->began_samples = search->samples[h->stream];
    h->began_unknown = unknown_of(search, h);
    h->began_sum = 0;
}

static void end_test(struct pcomp_search *search, uint32_t index, enum pcomp_hypothesis_state state, double now)
{
    struct pcomp_hypothesis *h = &search->list[index];
    h->state = state;
    h->tested_s = now;
    search->testing--;
    if (state == PCOMP_HYPOTHESIS_QUEUED) {
        const struct begun *begun = begun_of(search, h->why, h->axis);
        h->gathers = begun && begun->is;
        search->queued++;
    } else if (state == PCOMP_HYPOTHESIS_TRUE && !h->found) {
        h->found = true;
        search->found[search->found_count++] = index;
    }
}

static enum pcomp_verdict verdict_of(const struct pcomp_hypothesis *collected)
{
    const struct pcomp_hypothesis *h = collected;
    if (pcomp_share_is_above(h->samples, h->sum, h->threshold, PCOMP_SHARE_ERROR / 2))
        return PCOMP_VERDICT_ABOVE;
    double max = fmin(h->sum + h->unknown, h->samples);
    return pcomp_share_is_below(h->samples, max, h->threshold, PCOMP_SHARE_ERROR / 2) ? PCOMP_VERDICT_BELOW
                                                                                      : PCOMP_VERDICT_OPEN;
}

static void conclude(struct pcomp_search *search, uint32_t index, double now)
{
    struct pcomp_hypothesis *h = &search->list[index], collected = *h;
    collect(search, &collected);
    enum pcomp_verdict verdict = verdict_of(&collected);
    if (verdict == PCOMP_VERDICT_OPEN && (!search->queued || collected.samples - h->tested_samples < search->patience))
        return;
    *h = collected;
    end_test(search, index,
             verdict == PCOMP_VERDICT_ABOVE   ? PCOMP_HYPOTHESIS_TRUE
             : verdict == PCOMP_VERDICT_BELOW ? PCOMP_HYPOTHESIS_FALSE
                                              : PCOMP_HYPOTHESIS_QUEUED,
             now);
}

/* What was concluded may be otherwise by now: samples of what was once tested go on to be counted. */
static void reconsider(struct pcomp_search *search, uint32_t index, double now)
{
    struct pcomp_hypothesis *h = &search->list[index], collected = *h;
    collect(search, &collected);
    bool above = collected.sum > h->threshold * collected.samples;
    if (above == (h->state == PCOMP_HYPOTHESIS_TRUE))
        return;
    enum pcomp_verdict verdict = verdict_of(&collected);
    if (verdict == PCOMP_VERDICT_OPEN)
        return;
    *h = collected;
    search->testing++;
    end_test(search, index, above ? PCOMP_HYPOTHESIS_TRUE : PCOMP_HYPOTHESIS_FALSE, now);
}

/* Those never tested come before those set aside; among them refinements of the latest, and what was seen most. */
static bool comes_before(const struct pcomp_hypothesis *a, const struct pcomp_hypothesis *b)
{
    bool new_a = !a->tested, new_b = !b->tested;
    if (new_a != new_b)
        return new_a;
    if (!new_a)
        return a->samples < b->samples;
    return a->after_s != b->after_s ? a->after_s > b->after_s : a->seen > b->seen;
}

static void conclude_all(struct pcomp_search *search, double now)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (search->list[i].state == PCOMP_HYPOTHESIS_TESTING)
            conclude(search, i, now);
        else if (search->list[i].state == PCOMP_HYPOTHESIS_FALSE || search->list[i].state == PCOMP_HYPOTHESIS_TRUE)
            reconsider(search, i, now);
}

/* Begins tests while there is room. */
static void admit(struct pcomp_search *search, uint32_t breadth, double now)
{
    while (search->queued && search->testing < breadth) {
        struct pcomp_hypothesis *best = NULL;
        bool all = search->testing + search->queued <= breadth;
        for (uint32_t i = 0; i < search->count; i++) {
            struct pcomp_hypothesis *h = &search->list[i];
            if (h->state != PCOMP_HYPOTHESIS_QUEUED)
                continue;
            if (all)
                begin_test(search, h, now);
            else if (!best || comes_before(h, best))
                best = h;
        }
        if (best)
            begin_test(search, best, now);
    }
}

void pcomp_search_decide(struct pcomp_search *search, uint32_t breadth, double now)
{
    if (search->at_most && search->at_most < breadth)
        breadth = search->at_most;
    conclude_all(search, now);
    uint32_t before;
    do { /* what has evidence already makes room at once */
        before = search->queued;
        admit(search, breadth, now);
        if (search->queued != before && !search->at_most)
            conclude_all(search, now);
    } while (search->queued < before && !search->at_most);
}

uint32_t pcomp_search_next_true(struct pcomp_search *search)
{
    return search->found_reported < search->found_count ? search->found[search->found_reported++] : PCOMP_SEARCH_NONE;
}

uint32_t pcomp_search_testing(const struct pcomp_search *search)
{
    return search->testing;
}

uint32_t pcomp_search_queued(const struct pcomp_search *search)
{
    return search->queued;
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

struct pcomp_share pcomp_search_share(const struct pcomp_search *search, uint32_t index, double *samples)
{
    struct pcomp_hypothesis h = search->list[index];
    if (h.gathers)
        collect(search, &h);
    *samples = h.samples;
    struct pcomp_share share = pcomp_share_of(h.samples, h.sum, PCOMP_SHARE_ERROR);
    if (h.unknown > 0)
        share.high = pcomp_share_of(h.samples, fmin(h.sum + h.unknown, h.samples), PCOMP_SHARE_ERROR).high;
    return share;
}

/* How many standard deviations two shares are apart, were they one; 0: nothing to speak of. */
static double difference(double samples1, double sum1, double samples2, double sum2)
{
    double p = (sum1 + sum2 + 1) / (samples1 + samples2 + 2);
    double deviation = sqrt(p * (1 - p) * (1 / samples1 + 1 / samples2));
    double apart = fabs(sum1 / samples1 - sum2 / samples2);
    return apart < PHASE_MIN ? 0 : apart / deviation;
}

struct segment {
    uint32_t from, to; /* slices, the last excluded */
    double samples, sum;
};

/* Neighbours that differ least become one, until all differ. */
static size_t merge_segments(struct segment *segments, size_t count)
{
    while (count > 1) {
        size_t min = 0;
        double smallest = INFINITY;
        for (size_t i = 0; i + 1 < count; i++) {
            const struct segment *a = &segments[i], *b = a + 1;
            double apart = a->samples < SLICE_MIN || b->samples < SLICE_MIN
                               ? 0
                               : difference(a->samples, a->sum, b->samples, b->sum);
            if (apart < smallest) {
                smallest = apart;
                min = i;
            }
        }
        if (smallest > PHASE_APART)
            break;
        struct segment *a = &segments[min];
        a->to = a[1].to;
        a->samples += a[1].samples;
        a->sum += a[1].sum;
        memmove(a + 1, a + 2, (--count - min - 1) * sizeof *a);
    }
    return count;
}

size_t pcomp_search_phases(const struct pcomp_search *search, uint32_t index, struct pcomp_search_phase *phases,
                           size_t room)
{
    const struct pcomp_hypothesis *h = &search->list[index];
    struct segment segments[PCOMP_SEARCH_SLICES];
    size_t count = 0;
    for (uint32_t i = h->first_slice; i <= search->slice && i < PCOMP_SEARCH_SLICES; i++) {
        double samples = (double)search->counts[h->stream][i];
        if (samples > 0)
            segments[count++] = (struct segment){i, i + 1, samples, fmin((double)h->slices[i], samples)};
    }
    count = merge_segments(segments, count);
    if (count < 2 || count > room)
        return 0;
    for (size_t i = 0; i < count; i++)
        phases[i] = (struct pcomp_search_phase){.from_s = segments[i].from * search->width,
                                                .to_s = segments[i].to * search->width,
                                                .value = segments[i].sum / segments[i].samples};
    return count;
}

struct pcomp_search_plan pcomp_search_plan_of(const struct pcomp_search_cost *cost)
{
    struct pcomp_search_plan plan = {.distance = DISTANCE_MAX, .breadth = 1};
    if (!(cost->budget > 0))
        return plan;
    plan.distance = fmin(fmax(cost->min, 2 * cost->sample / cost->budget), DISTANCE_MAX);
    double left = cost->budget * plan.distance - cost->sample;
    plan.breadth = (uint32_t)fmin(fmax(cost->each > 0 ? left / cost->each : BREADTH_MAX, 1), BREADTH_MAX);
    return plan;
}
