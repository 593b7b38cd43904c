#include "reporters/export/export_forest.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/hash.h"
#include "reporters/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE_BETWEEN " > " /* in tree_node.native */

struct making {
    struct export_forest *forest;
    const struct call_tree *tree;
    uint32_t *natives; /* frames of native names: hash table of index + 1 */
    size_t native_mask;
    uint32_t *place; /* by node of the tree: in the forest */
};

static bool frame_add(struct export_forest *f, const char *name, const struct tree_function *function)
{
    if (!ARRAY_ROOM(f->frames, f->frame_count, f->frame_room))
        return false;
    char *clean = text_clean(name);
    if (clean)
        f->frames[f->frame_count++] = (struct export_frame){clean, function};
    return clean;
}

static bool node_add(struct export_forest *f, uint32_t parent, uint32_t frame, const struct tree_node *node)
{
    if (f->node_count >= EXPORT_NONE - 1 || !ARRAY_ROOM(f->nodes, f->node_count, f->node_room))
        return false;
    f->nodes[f->node_count++] = (struct export_node){parent, frame, node};
    return true;
}

/* --- Native frames ------------------------------------------------------------------------------------------------ */

static bool natives_grow(struct making *m)
{
    size_t count = m->forest->frame_count - m->forest->left_out, slots = m->natives ? m->native_mask + 1 : 0;
    if (2 * count < slots)
        return true;
    slots = slots ? 2 * slots : 1024;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    for (size_t i = m->forest->left_out + (size_t)1; i < m->forest->frame_count; i++) {
        size_t at = pcomp_hash_text(PCOMP_HASH_START, m->forest->frames[i].name) & (slots - 1);
        while (table[at])
            at = (at + 1) & (slots - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(m->natives);
    m->natives = table;
    m->native_mask = slots - 1;
    return true;
}

/* The frame "[name]". EXPORT_NONE: out of memory. */
static uint32_t native_frame(struct making *m, const char *name, size_t length)
{
    char bracketed[4100];
    snprintf(bracketed, sizeof bracketed, "[%.*s]", (int)length, name);
    char *clean = natives_grow(m) ? text_clean(bracketed) : NULL;
    if (!clean)
        return EXPORT_NONE;
    size_t at = pcomp_hash_text(PCOMP_HASH_START, clean) & m->native_mask;
    while (m->natives[at] && strcmp(m->forest->frames[m->natives[at] - 1].name, clean) != 0)
        at = (at + 1) & m->native_mask;
    if (!m->natives[at] && frame_add(m->forest, clean, NULL))
        m->natives[at] = (uint32_t)m->forest->frame_count;
    free(clean);
    return m->natives[at] ? m->natives[at] - 1 : EXPORT_NONE;
}

/* "a > b": a frame each. *parent becomes the innermost of them. */
static bool natives_add(struct making *m, const char *native, uint32_t *parent)
{
    while (native) {
        const char *end = strstr(native, NATIVE_BETWEEN);
        size_t length = end ? (size_t)(end - native) : strlen(native);
        uint32_t frame = native_frame(m, native, length);
        if (frame == EXPORT_NONE || !node_add(m->forest, *parent, frame, NULL))
            return false;
        *parent = (uint32_t)m->forest->node_count - 1;
        native = end ? end + strlen(NATIVE_BETWEEN) : NULL;
    }
    return true;
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

/* A node in which nothing was ever counted, "[beyond limit]" mostly, is left out. */
static bool is_written(const struct tree_node *n)
{
    return n->calls || n->inclusive.raw != 0 || n->inclusive.compensated != 0 || n->first_child != EXPORT_NONE;
}

static bool path_add(struct making *m, uint32_t at, uint32_t top)
{
    const struct tree_node *n = &m->tree->nodes[at];
    uint32_t parent = at == top ? EXPORT_NONE : m->place[n->parent];
    if (n->native && !natives_add(m, n->native, &parent))
        return false;
    m->place[at] = (uint32_t)m->forest->node_count;
    return node_add(m->forest, parent, n->function, n);
}

/* All nodes below a child of the root, and itself. */
static bool paths_add(struct making *m, uint32_t top)
{
    const struct tree_node *nodes = m->tree->nodes;
    for (uint32_t at = top;;) {
        if (is_written(&nodes[at]) && !path_add(m, at, top))
            return false;
        if (nodes[at].first_child != EXPORT_NONE) {
            at = nodes[at].first_child;
            continue;
        }
        while (at != top && nodes[at].next_sibling == EXPORT_NONE)
            at = nodes[at].parent;
        if (at == top)
            return true;
        at = nodes[at].next_sibling;
    }
}

static char *clean_text(char *text)
{
    char *clean = text ? text_clean(text) : NULL;
    free(text);
    return clean;
}

static char *process_name(const struct tree_process *p)
{
    char *text = NULL;
    if (!p)
        return strdup("[all processes]");
    const char *program = p->executable ? text_basename(p->executable) : "process";
    int n = p->rank >= 0 ? asprintf(&text, "rank %d (pid %d)", p->rank, p->pid)
                         : asprintf(&text, "%s (pid %d)", program, p->pid);
    return clean_text(n < 0 ? NULL : text);
}

static char *thread_name(const struct tree_thread *t)
{
    char *text = NULL;
    if (!t)
        return strdup("[all threads]");
    return clean_text(asprintf(&text, "%s (tid %d)", t->name[0] ? t->name : "thread", t->tid) < 0 ? NULL : text);
}

static const struct tree_process *process_of(const struct call_tree *tree, const struct tree_thread *t)
{
    for (size_t i = 0; t && i < tree->process_count; i++)
        if (tree->processes[i].pid == t->pid && tree->processes[i].rank == t->rank)
            return &tree->processes[i];
    return NULL;
}

static bool has_something(const struct export_forest *f, size_t first)
{
    for (size_t i = first; i < f->node_count; i++) {
        const struct tree_node *n = f->nodes[i].node;
        if (n && (n->calls || n->exclusive.raw >= 0.5 || n->exclusive.compensated >= 0.5))
            return true;
    }
    return false;
}

static bool thread_end(struct making *m, const struct tree_thread *t, size_t first)
{
    struct export_forest *f = m->forest;
    if (!has_something(f, first))
        return true;
    struct export_thread *to = &f->threads[f->thread_count++];
    const struct tree_process *process = process_of(m->tree, t);
    *to = (struct export_thread){.process = process,
                                 .thread = t,
                                 .process_name = process_name(process),
                                 .name = thread_name(t),
                                 .first = (uint32_t)first,
                                 .count = (uint32_t)(f->node_count - first)};
    return to->process_name && to->name;
}

struct top {
    uint32_t owner, order, node;
};

static int top_order(const void *a, const void *b)
{
    const struct top *x = a, *y = b;
    return x->owner != y->owner ? (x->owner > y->owner ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}

static bool threads_add(struct making *m)
{
    const struct call_tree *tree = m->tree;
    struct top *tops = malloc((tree->node_count + 1) * sizeof *tops);
    size_t count = 0;
    bool ok = tops;
    for (uint32_t at = ok && tree->node_count ? tree->nodes[0].first_child : EXPORT_NONE; at != EXPORT_NONE;
         at = tree->nodes[at].next_sibling, count++)
        tops[count] = (struct top){tree->owners ? tree->owners[at] : EXPORT_NONE, (uint32_t)count, at};
    if (count)
        qsort(tops, count, sizeof *tops, top_order);
    for (size_t i = 0; ok && i < count;) {
        uint32_t owner = tops[i].owner;
        size_t first = m->forest->node_count;
        for (; ok && i < count && tops[i].owner == owner; i++)
            ok = paths_add(m, tops[i].node);
        ok = ok && thread_end(m, owner < tree->thread_count ? &tree->threads[owner] : NULL, first);
    }
    free(tops);
    return ok;
}

bool export_forest_make(struct export_forest *forest, const struct call_tree *tree)
{
    *forest = (struct export_forest){.threads = calloc(tree->thread_count + 1, sizeof *forest->threads)};
    struct making m = {forest, tree, NULL, 0, malloc((tree->node_count + 1) * sizeof *m.place)};
    bool ok = forest->threads && m.place;
    for (size_t i = 0; ok && i < tree->function_count; i++)
        ok = frame_add(forest, tree->functions[i].name, &tree->functions[i]);
    forest->left_out = (uint32_t)tree->function_count;
    ok = ok && frame_add(forest, "[calls left out]", NULL) && threads_add(&m);
    free(m.place);
    free(m.natives);
    if (!ok)
        export_forest_free(forest);
    return ok;
}

void export_forest_free(struct export_forest *forest)
{
    for (size_t i = 0; i < forest->frame_count; i++)
        free(forest->frames[i].name);
    for (size_t i = 0; forest->threads && i < forest->thread_count; i++) {
        free(forest->threads[i].process_name);
        free(forest->threads[i].name);
    }
    free(forest->frames);
    free(forest->nodes);
    free(forest->threads);
    *forest = (struct export_forest){0};
}

void export_forest_clamps(const struct export_forest *forest, const struct export_request *request,
                          struct export_result *result)
{
    for (size_t i = 0; i < forest->node_count; i++)
        if (forest->nodes[i].node)
            export_times(request, &forest->nodes[i].node->exclusive, result);
}

size_t export_forest_path(const struct export_forest *forest, uint32_t node, uint32_t *path, size_t *left_out)
{
    size_t depth = 0;
    for (uint32_t at = node; at != EXPORT_NONE; at = forest->nodes[at].parent)
        depth++;
    *left_out = depth > EXPORT_DEPTH ? depth - EXPORT_DEPTH : 0;
    size_t used = *left_out ? EXPORT_DEPTH + 1 : depth, at = depth;
    for (uint32_t n = node; n != EXPORT_NONE; n = forest->nodes[n].parent) {
        at--; /* position from the outside; EXPORT_DEPTH / 2 are kept at either end */
        if (!*left_out || at < EXPORT_DEPTH / 2)
            path[at] = forest->nodes[n].frame;
        else if (at >= EXPORT_DEPTH / 2 + *left_out)
            path[at - *left_out + 1] = forest->nodes[n].frame;
    }
    if (*left_out)
        path[EXPORT_DEPTH / 2] = forest->left_out;
    return used;
}
