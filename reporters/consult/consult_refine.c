#include "reporters/consult/consult_refine.h"

#include <stdlib.h>
#include <string.h>

const char *const consult_axis_names[AXIS_COUNT] = {"whole program", "process", "thread", "module",
                                                    "function",      "path",    "object"};

/* --- Roots ------------------------------------------------------------------------------------------------------- */

static uint32_t stream_of(enum why why)
{
    return why == WHY_OVERHEAD ? STREAM_COSTS : STREAM_EVERYWHERE;
}

/* "thread 2", "module NAME", "object NAME", "a/b/c", "name" */
static enum consult_axis focus_axis(const char *focus)
{
    return !focus                            ? AXIS_WHOLE
           : !strncmp(focus, "thread ", 7)   ? AXIS_THREAD
           : !strncmp(focus, "process ", 8)  ? AXIS_PROCESS
           : !strncmp(focus, "module ", 7)   ? AXIS_MODULE
           : !strncmp(focus, "object ", 7)   ? AXIS_OBJECT
           : !strncmp(focus, "function ", 9) ? AXIS_FUNCTION
           : strchr(focus, '/')              ? AXIS_PATH
                                             : AXIS_FUNCTION;
}

bool consult_begin_roots(struct consult *c)
{
    memset(c->roots, 0xff, sizeof c->roots);
    c->focus_axis = focus_axis(c->options.focus);
    for (uint32_t why = 0; why < WHY_COUNT; why++) {
        if (c->options.only != WHY_NONE && c->options.only != why)
            continue;
        struct pcomp_hypothesis root = {.parent = PCOMP_SEARCH_NONE,
                                        .why = why,
                                        .axis = c->focus_axis,
                                        .stream = stream_of(why),
                                        .threshold = c->options.thresholds[why]};
        c->roots[why] = pcomp_search_add(c->search, &root, 0);
        if (c->roots[why] == PCOMP_SEARCH_NONE)
            return false;
    }
    return true;
}

/* --- Places ------------------------------------------------------------------------------------------------------ */

static uint32_t module_of(const struct consult *c, uint32_t function)
{
    return function == FOCUS_NONE ? FOCUS_NONE : c->observer.foci.functions.list[function].of;
}

static bool is_true(const struct consult *c, uint32_t index)
{
    return index != PCOMP_SEARCH_NONE && pcomp_search_at(c->search, index)->state == PCOMP_HYPOTHESIS_TRUE;
}

static struct pcomp_hypothesis about(const struct consult *c, uint32_t parent, enum why why, enum consult_axis axis,
                                     uint32_t focus, double seen)
{
    return (struct pcomp_hypothesis){.parent = parent,
                                     .why = why,
                                     .axis = axis,
                                     .focus = focus,
                                     .stream = stream_of(why),
                                     .threshold = c->options.thresholds[why],
                                     .seen = seen};
}

/* The value of the hypothesis about that place. One that is missing is noted, and asked for if `parent` is true. */
static void add_value(struct consult *c, uint32_t parent, enum why why, enum consult_axis axis, uint32_t focus,
                      double weight)
{
    uint32_t index = pcomp_search_find(c->search, why, axis, focus);
    struct pcomp_hypothesis new = about(c, parent, why, axis, focus, 0);
    if (index == PCOMP_SEARCH_NONE)
        index = pcomp_search_note(c->search, &new);
    if (index != PCOMP_SEARCH_NONE)
        pcomp_search_value(c->search, index, weight);
    if (is_true(c, parent) &&
        (index == PCOMP_SEARCH_NONE || pcomp_search_at(c->search, index)->state == PCOMP_HYPOTHESIS_LATENT))
        pcomp_search_add(c->search, &new, c->last_s);
}

/* From now on every sample tells where. */
static void begin_foci(struct consult *c, enum why why)
{
    static const enum consult_axis axes[] = {AXIS_MODULE, AXIS_FUNCTION, AXIS_PATH, AXIS_OBJECT};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        pcomp_search_begin(c->search, why, axes[i], stream_of(why));
}

static void add_path_values(struct consult *c, enum why why, uint32_t path, double weight)
{
    const struct focus *paths = c->observer.foci.paths.list;
    for (uint32_t at = path; at != FOCUS_NONE && at != PATH_ROOT; at = paths[at].parent) {
        uint32_t up = paths[at].parent;
        add_value(c, up == PATH_ROOT ? c->roots[why] : pcomp_search_find(c->search, why, AXIS_PATH, up), why, AXIS_PATH,
                  at, weight);
    }
}

static void note(struct focus_list *list, uint32_t number, enum why why)
{
    if (number == FOCUS_NONE)
        return;
    list->list[number].seen++;
    list->list[number].kinds |= 1u << why;
}

static void note_foci(struct consult *c, const struct observation *o, enum why why)
{
    struct foci *p = &c->observer.foci;
    note(&p->functions, o->function, why);
    note(&p->modules, module_of(c, o->function), why);
    note(&p->objects, o->object, why);
    for (uint32_t at = o->path; at != FOCUS_NONE && at != PATH_ROOT; at = p->paths.list[at].parent)
        note(&p->paths, at, why);
}

/* That much of a sample is nobody's: its place is not known. */
static void add_unknown_values(struct consult *c, uint32_t path, uint32_t function, enum why why, double weight)
{
    if (function == FOCUS_NONE && path != PATH_ROOT) {
        pcomp_search_unknown(c->search, why, AXIS_FUNCTION, weight);
        pcomp_search_unknown(c->search, why, AXIS_MODULE, weight);
    }
    if (path == FOCUS_NONE)
        pcomp_search_unknown(c->search, why, AXIS_PATH, weight);
}

static void add_focus_values(struct consult *c, uint32_t path, uint32_t function, enum why why, double weight)
{
    uint32_t root = c->roots[why], module = module_of(c, function);
    add_unknown_values(c, path, function, why, weight);
    if (function != FOCUS_NONE)
        add_value(c, root, why, AXIS_FUNCTION, function, weight);
    if (module != FOCUS_NONE && c->observer.foci.modules.count > 1)
        add_value(c, root, why, AXIS_MODULE, module, weight);
    add_path_values(c, why, path, weight);
}

static void add_object_value(struct consult *c, uint32_t object, enum why why, double weight)
{
    if (object == FOCUS_NONE)
        pcomp_search_unknown(c->search, why, AXIS_OBJECT, weight);
    else
        add_value(c, c->roots[why], why, AXIS_OBJECT, object, weight);
}

/* --- One hypothesis at one place --------------------------------------------------------------------------------- */

static bool ends_with_path(const struct foci *p, uint32_t path, const char *focus)
{
    size_t length = strlen(focus);
    while (length > 0) {
        if (path == FOCUS_NONE || path == PATH_ROOT)
            return false;
        size_t from = length;
        while (from > 0 && focus[from - 1] != '/')
            from--;
        const char *name = p->functions.list[p->paths.list[path].of].name;
        if (strlen(name) != length - from || strncmp(name, focus + from, length - from) != 0)
            return false;
        path = p->paths.list[path].parent;
        length = from ? from - 1 : 0;
    }
    return true;
}

static bool is_in_focus(const struct consult *c, const struct observation *o)
{
    uint32_t path = o->path, function = o->function;
    const struct foci *p = &c->observer.foci;
    const char *focus = c->options.focus, *space = focus ? strchr(focus, ' ') : NULL;
    uint32_t module = module_of(c, function);
    switch (c->focus_axis) {
    case AXIS_THREAD:
        return o->thread == (uint32_t)strtoul(space, NULL, 10);
    case AXIS_PROCESS:
        return o->process == (uint32_t)strtoul(space, NULL, 10);
    case AXIS_MODULE:
        return module != FOCUS_NONE && strstr(p->modules.list[module].name, space + 1);
    case AXIS_OBJECT:
        return o->object != FOCUS_NONE && !strcmp(p->objects.list[o->object].name, space + 1);
    case AXIS_FUNCTION:
        return function != FOCUS_NONE &&
               !strcmp(p->functions.list[function].name, strncmp(focus, "function ", 9) ? focus : space + 1);
    case AXIS_PATH:
        for (; path != FOCUS_NONE && path != PATH_ROOT; path = p->paths.list[path].parent)
            if (ends_with_path(p, path, focus))
                return true;
        return false;
    default:
        return true;
    }
}

static void add_asked_values(struct consult *c, const struct observation *o, enum why why, double weight)
{
    uint32_t root = c->roots[why];
    if (root == PCOMP_SEARCH_NONE)
        return;
    add_unknown_values(c, o->path, o->function, why, weight);
    if (is_in_focus(c, o))
        pcomp_search_value(c->search, root, weight);
}

void consult_begin_sample(struct consult *c, uint32_t stream)
{
    if (c->options.focus || c->options.only != WHY_NONE)
        return;
    for (uint32_t why = 0; why < WHY_COUNT; why++) {
        if (stream == STREAM_EVERYWHERE && c->observer.process_count > 1)
            pcomp_search_begin(c->search, why, AXIS_PROCESS, stream);
        if (stream == STREAM_EVERYWHERE && c->observer.name_count > 1)
            pcomp_search_begin(c->search, why, AXIS_THREAD, stream);
        if (stream_of(why) == stream && is_true(c, c->roots[why]))
            begin_foci(c, why);
    }
}

/* --- Feeding ----------------------------------------------------------------------------------------------------- */

static void feed_one(struct consult *c, const struct observation *o, enum why why, double weight)
{
    uint32_t root = c->roots[why];
    if (c->options.focus) {
        add_asked_values(c, o, why, weight);
        return;
    }
    if (root == PCOMP_SEARCH_NONE)
        return;
    pcomp_search_value(c->search, root, weight);
    if (c->options.only != WHY_NONE)
        return;
    if (c->observer.process_count > 1)
        add_value(c, root, why, AXIS_PROCESS, o->process, weight);
    if (c->observer.name_count > 1)
        add_value(c, root, why, AXIS_THREAD, o->thread, weight);
    if (!is_true(c, root))
        return;
    note_foci(c, o, why);
    add_focus_values(c, o->path, o->function, why, weight);
    add_object_value(c, o->object, why, weight);
}

void consult_feed(struct consult *c, const struct observation *o, double weight)
{
    /* faults are taken in while the thread computes, and are told apart by their number */
    double faults = o->why == WHY_CPU ? o->faults : 0;
    feed_one(c, o, o->why, weight * (1 - faults));
    if (faults > 0)
        feed_one(c, o, WHY_FAULT, weight * faults);
}

void consult_feed_cost(struct consult *c, uint32_t function, double share)
{
    note(&c->observer.foci.functions, function, WHY_OVERHEAD);
    if (c->options.only == WHY_NONE)
        add_value(c, c->roots[WHY_OVERHEAD], WHY_OVERHEAD, AXIS_FUNCTION, function, share);
}

/* --- Refining ---------------------------------------------------------------------------------------------------- */

/* The foci of a list that have samples in that state; of paths, those that continue `parent_path`. */
static void add_seen(struct consult *c, uint32_t parent, enum consult_axis axis, const struct focus_list *list,
                     enum why why, uint32_t parent_path, double now)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->list[i].kinds & 1u << why && (axis != AXIS_PATH || list->list[i].parent == parent_path)) {
            struct pcomp_hypothesis h = about(c, parent, why, axis, i, list->list[i].seen);
            pcomp_search_add(c->search, &h, now);
        }
}

void consult_refine(struct consult *c, uint32_t index, double now)
{
    struct pcomp_hypothesis h = *pcomp_search_at(c->search, index);
    const struct foci *p = &c->observer.foci;
    if (h.axis == AXIS_PATH) {
        add_seen(c, index, AXIS_PATH, &p->paths, h.why, h.focus, now);
        return;
    }
    if (h.axis != AXIS_WHOLE)
        return;
    add_seen(c, index, AXIS_FUNCTION, &p->functions, h.why, FOCUS_NONE, now);
    if (h.why == WHY_OVERHEAD)
        return;
    if (p->modules.count > 1)
        add_seen(c, index, AXIS_MODULE, &p->modules, h.why, FOCUS_NONE, now);
    add_seen(c, index, AXIS_OBJECT, &p->objects, h.why, FOCUS_NONE, now);
    add_seen(c, index, AXIS_PATH, &p->paths, h.why, PATH_ROOT, now);
}
