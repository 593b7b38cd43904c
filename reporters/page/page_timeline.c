#include "reporters/page/page_timeline.h"

#include "compensation/numeric/array.h"
#include "reporters/base/json_list.h"
#include "reporters/base/message.h"
#include "reporters/page/page_columns.h"
#include "reporters/page/page_text.h"
#include "reporters/trace/trace_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX 200

struct slice {
    uint64_t begin, length; /* ns */
    uint32_t location, depth, name;
    enum trace_slice_kind kind;
};

struct kept_link {
    uint64_t from_time, to_time;
    uint32_t from, to;
    const char *kind;
};

struct track {
    json_t *about;
    struct slice *open; /* outermost first */
    size_t depth, room;
    uint64_t waiting, last; /* ns: in operations; of the last slice's end */
};

struct gathering {
    struct track *tracks; /* by location */
    uint32_t track_count;
    struct slice *slices; /* twice TIMELINE_SLICES_MAX */
    size_t slice_count;
    uint64_t min, all; /* ns: shorter slices are dropped; slices of all lengths */
    struct kept_link *links;
    size_t link_count;
    uint64_t link_step, all_links; /* every so many-th is kept */
};

/* --- What is kept ------------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    uint64_t x = ((const struct slice *)a)->length, y = ((const struct slice *)b)->length;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Drops the shortest, all of the same length together. */
static void drop_short(struct gathering *g)
{
    if (g->slice_count <= TIMELINE_SLICES_MAX)
        return;
    qsort(g->slices, g->slice_count, sizeof *g->slices, by_length);
    g->min = g->slices[TIMELINE_SLICES_MAX].length + 1;
    while (g->slice_count && g->slices[g->slice_count - 1].length < g->min)
        g->slice_count--;
}

static void keep_slice(struct gathering *g, const struct slice *slice)
{
    g->all++;
    if (slice->length < g->min)
        return;
    g->slices[g->slice_count++] = *slice;
    if (g->slice_count == 2 * TIMELINE_SLICES_MAX)
        drop_short(g);
}

static bool add_link(void *context, uint64_t number, const char *kind, uint32_t from, uint64_t from_time, uint32_t to,
                     uint64_t to_time)
{
    struct gathering *g = context;
    (void)number;
    if (g->all_links++ % g->link_step)
        return true;
    if (g->link_count == TIMELINE_LINKS_MAX) {
        g->link_count /= 2;
        for (size_t i = 0; i < g->link_count; i++)
            g->links[i] = g->links[2 * i];
        g->link_step *= 2;
        if ((g->all_links - 1) % g->link_step)
            return true;
    }
    g->links[g->link_count++] = (struct kept_link){from_time, to_time, from, to, kind};
    return true;
}

/* --- Following the executions ------------------------------------------------------------------------------------- */

static json_t *text(const char *clean)
{
    char *cut = page_text(clean, NAME_MAX);
    json_t *json = cut ? json_string(cut) : NULL;
    free(cut);
    return json;
}

static bool add_location(void *context, uint32_t location, const struct trace_slice_location *about)
{
    struct gathering *g = context;
    struct track *grown = reallocarray(g->tracks, location + (size_t)1, sizeof *grown);
    if (!grown)
        return false;
    g->tracks = grown;
    g->tracks[location] = (struct track){
        .about = json_pack("{s:i,s:i,s:o,s:o,s:o}", "execution", (int)about->execution, "process", (int)about->pid,
                           "title", text(about->title), "in", text(about->process_name), "name", text(about->name))};
    g->track_count = location + 1;
    return g->tracks[location].about;
}

static bool enter(void *context, uint32_t location, uint64_t time, uint32_t name, enum trace_slice_kind kind)
{
    struct gathering *g = context;
    struct track *t = &g->tracks[location];
    if (!ARRAY_ROOM(t->open, t->depth, t->room))
        return false;
    t->open[t->depth] = (struct slice){time, 0, location, (uint32_t)t->depth, name, kind};
    t->depth++;
    return true;
}

static bool leave(void *context, uint32_t location, uint64_t time)
{
    struct gathering *g = context;
    struct track *t = &g->tracks[location];
    struct slice *slice = &t->open[--t->depth];
    slice->length = time - slice->begin;
    t->waiting += slice->kind == TRACE_SLICE_OPERATION ? slice->length : 0;
    t->last = time;
    keep_slice(g, slice);
    return true;
}

/* --- As JSON ------------------------------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->location != y->location)
        return x->location > y->location ? 1 : -1;
    if (x->begin != y->begin)
        return x->begin > y->begin ? 1 : -1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static bool add_slices(struct gathering *g, const uint32_t *numbers, json_t *object)
{
    struct page_column location = {0}, depth = {0}, name = {0}, kind = {0}, begin = {0}, length = {0};
    const struct slice *before = NULL;
    qsort(g->slices, g->slice_count, sizeof *g->slices, by_place);
    for (size_t i = 0; i < g->slice_count; i++) {
        const struct slice *s = &g->slices[i];
        bool same = before && before->location == s->location;
        page_column_add(&location, (int64_t)s->location - (before ? (int64_t)before->location : 0));
        page_column_add(&depth, s->depth);
        page_column_add(&name, numbers[s->name]);
        page_column_add(&kind, s->kind);
        page_column_add(&begin, (int64_t)(s->begin - (same ? before->begin : 0)));
        page_column_add(&length, (int64_t)s->length);
        before = s;
    }
    bool ok = page_column_end(&location, object, "location");
    ok = page_column_end(&depth, object, "depth") && ok;
    ok = page_column_end(&name, object, "name") && ok;
    ok = page_column_end(&kind, object, "kind") && ok;
    ok = page_column_end(&begin, object, "begin") && ok;
    return page_column_end(&length, object, "length") && ok;
}

static bool add_links(const struct gathering *g, json_t *object)
{
    struct page_column from = {0}, to = {0}, begin = {0}, length = {0};
    json_t *kinds = json_array();
    for (size_t i = 0; i < g->link_count; i++) {
        const struct kept_link *l = &g->links[i];
        page_column_add(&from, l->from);
        page_column_add(&to, l->to);
        page_column_add(&begin, (int64_t)l->from_time);
        page_column_add(&length, (int64_t)(l->to_time - l->from_time));
        json_array_append_new(kinds, json_string(l->kind));
    }
    bool ok = page_column_end(&from, object, "from");
    ok = page_column_end(&to, object, "to") && ok;
    ok = page_column_end(&begin, object, "sent") && ok;
    ok = page_column_end(&length, object, "took") && ok;
    return !json_object_set_new(object, "kinds", kinds) && ok && json_array_size(kinds) == g->link_count;
}

/* Names of the slices that are kept, and a number for each. */
static json_t *add_names(const struct gathering *g, const char *const *names, uint32_t *numbers, uint32_t count)
{
    json_t *list = json_array();
    memset(numbers, 0xff, count * sizeof *numbers);
    for (size_t i = 0; i < g->slice_count; i++) {
        uint32_t name = g->slices[i].name;
        if (numbers[name] != UINT32_MAX)
            continue;
        numbers[name] = (uint32_t)json_array_size(list);
        list = json_list_add(list, text(names[name]));
    }
    return list;
}

static json_t *locations_json(const struct gathering *g)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < g->track_count; i++) {
        json_object_set_new(g->tracks[i].about, "waiting", json_integer((json_int_t)g->tracks[i].waiting));
        json_object_set_new(g->tracks[i].about, "last", json_integer((json_int_t)g->tracks[i].last));
        json_array_append(list, g->tracks[i].about);
    }
    return list;
}

static json_t *timeline_json(struct gathering *g, const struct trace_slices *slices)
{
    uint32_t count;
    const char *const *names = trace_slices_names(slices, &count);
    uint32_t *numbers = malloc(count * sizeof *numbers + 1);
    drop_short(g);
    json_t *list = numbers ? add_names(g, names, numbers, count) : NULL;
    json_t *object = json_pack("{s:f,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "span", trace_slices_longest(slices), "count",
                               (json_int_t)g->slice_count, "all", (json_int_t)g->all, "least", (json_int_t)g->min,
                               "links", (json_int_t)g->link_count, "all_links", (json_int_t)g->all_links, "names", list,
                               "locations", locations_json(g));
    bool ok = numbers && object && add_slices(g, numbers, object) && add_links(g, object);
    free(numbers);
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *gather(struct gathering *g, struct trace_slices *slices)
{
    const struct trace_window whole = {.to = INFINITY};
    const struct trace_slice_sink sink = {g, add_location, enter, leave, add_link};
    char error[1024] = "out of memory";
    g->slices = calloc(2 * TIMELINE_SLICES_MAX, sizeof *g->slices);
    g->links = calloc(TIMELINE_LINKS_MAX, sizeof *g->links);
    bool good = g->slices && g->links && trace_slices_report(slices, &whole, &sink, error, sizeof error);
    json_t *json = NULL;
    if (good)
        json = timeline_json(g, slices);
    else
        message_note("note: html: no timeline: %s", error);
    for (uint32_t i = 0; i < g->track_count; i++) {
        json_decref(g->tracks[i].about);
        free(g->tracks[i].open);
    }
    free(g->tracks);
    free(g->slices);
    free(g->links);
    return good ? json : json_null();
}

json_t *page_timeline(const char *dir, bool salvage)
{
    char error[1024] = "";
    struct gathering g = {.link_step = 1};
    struct trace_slices *slices = trace_slices_open(dir, salvage, "html", error, sizeof error);
    if (!slices)
        return json_null(); /* a profile, mostly; what is damaged, the profile's reader has told */
    json_t *json = gather(&g, slices);
    trace_slices_close(slices);
    return json;
}
