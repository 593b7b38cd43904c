#include "reporters/page/page_tree.h"

#include "compensation/numeric/array.h"
#include "reporters/base/sorted_indices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct tree_function *page_function_named(const struct page_function *function)
{
    return function->side[1] ? function->side[1] : function->side[0];
}

uint32_t page_tree_next(const struct page_tree *page, uint32_t at, size_t *depth)
{
    const struct page_node *nodes = page->nodes;
    if (nodes[at].first_child != PAGE_NONE) {
        ++*depth;
        return nodes[at].first_child;
    }
    for (; at && nodes[at].next_sibling == PAGE_NONE; at = nodes[at].parent)
        --*depth;
    return at ? nodes[at].next_sibling : PAGE_NONE;
}

uint32_t page_tree_add(struct page_tree *page, uint32_t parent, uint32_t function)
{
    if (page->node_count >= PAGE_NONE - 1 || !ARRAY_ROOM(page->nodes, page->node_count, page->room))
        return PAGE_NONE;
    page->nodes[page->node_count] = (struct page_node){
        .function = function, .parent = parent, .first_child = PAGE_NONE, .next_sibling = PAGE_NONE, .paths = 1};
    return (uint32_t)page->node_count++;
}

/* --- Functions: of two profiles one with the same linkage name in a file of the same name --------------------------
 */

static int match_order(const void *a, const void *b, void *context)
{
    const struct call_tree *tree = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int by_name = call_tree_match(&tree->functions[i], &tree->functions[j]);
    return by_name ? by_name : (i > j) - (i < j);
}

static uint32_t *functions_sorted(const struct call_tree *tree)
{
    return sorted_indices(tree->function_count, match_order, (void *)(uintptr_t)tree);
}

static void functions_pair(struct page_tree *page, const uint32_t *orders[2])
{
    size_t at[2] = {0, 0};
    for (;;) {
        const struct tree_function *next[2] = {NULL, NULL};
        for (int s = 0; s < 2; s++)
            if (orders[s] && at[s] < page->profiles[s]->function_count)
                next[s] = &page->profiles[s]->functions[orders[s][at[s]]];
        if (!next[0] && !next[1])
            return;
        int order = !next[0] ? 1 : !next[1] ? -1 : call_tree_match(next[0], next[1]);
        uint32_t number = (uint32_t)page->function_count++;
        for (int s = 0; s < 2; s++)
            if (s == 0 ? order <= 0 : order >= 0) {
                page->functions[number].side[s] = next[s];
                page->function_of[s][orders[s][at[s]++]] = number;
            }
    }
}

static bool functions_make(struct page_tree *page)
{
    size_t max = 1;
    const uint32_t *orders[2] = {NULL, NULL};
    bool ok = true;
    for (int s = 0; s < 2; s++)
        if (page->profiles[s]) {
            max += page->profiles[s]->function_count;
            orders[s] = functions_sorted(page->profiles[s]);
            page->function_of[s] = calloc(page->profiles[s]->function_count + 1, sizeof *page->function_of[s]);
            ok = ok && orders[s] && page->function_of[s];
        }
    page->functions = calloc(max, sizeof *page->functions);
    ok = ok && page->functions;
    if (ok)
        functions_pair(page, orders);
    free((void *)(uintptr_t)orders[0]);
    free((void *)(uintptr_t)orders[1]);
    return ok;
}

/* --- Nodes -------------------------------------------------------------------------------------------------------- */

static double known(double ns)
{
    return isfinite(ns) ? ns : 0;
}

static struct page_times raw_times(const struct tree_node *n)
{
    return (struct page_times){known(n->inclusive.raw), known(n->exclusive.raw),
                               known(n->exclusive.waiting + n->exclusive.ready),
                               known(n->inclusive.waiting + n->inclusive.ready), 0};
}

static struct page_times compensated_times(const struct tree_node *n, bool compared)
{
    const struct tree_times *of = compared ? &n->exclusive : &n->inclusive;
    struct page_times times = raw_times(n);
    times.inclusive = known(n->inclusive.compensated);
    times.exclusive = known(n->exclusive.compensated);
    times.uncertainty = known(of->uncertainty);
    return times;
}

static void node_fill(struct page_node *to, const struct page_tree *page, int side, const struct tree_node *from)
{
    bool compared = page->profiles[0];
    to->calls[side] += (double)from->calls;
    to->open |= from->open;
    to->unknown |= !isfinite(from->inclusive.compensated);
    struct page_times *t = &to->side[side], add = compensated_times(from, compared);
    t->inclusive += add.inclusive; /* a path of the page may be of several nodes, by call site */
    t->exclusive += add.exclusive;
    t->waiting += add.waiting;
    t->waiting_inclusive += add.waiting_inclusive;
    t->uncertainty += add.uncertainty;
    if (compared)
        return;
    add = raw_times(from);
    t = &to->side[0];
    t->inclusive += add.inclusive;
    t->exclusive += add.exclusive;
    t->waiting += add.waiting;
    t->waiting_inclusive += add.waiting_inclusive;
}

static uint32_t child_find(const struct page_tree *page, uint32_t parent, uint32_t function)
{
    for (uint32_t at = page->nodes[parent].first_child; at != PAGE_NONE; at = page->nodes[at].next_sibling)
        if (page->nodes[at].function == function)
            return at;
    return PAGE_NONE;
}

struct joining {
    uint32_t *place; /* by node of the profile: node of the page */
    uint32_t *last;  /* by node of the page: its last child */
    size_t room;     /* of last */
};

static bool joining_reserve(struct joining *j, size_t count)
{
    if (count < j->room)
        return true;
    size_t room = 2 * count + 1024;
    uint32_t *grown = reallocarray(j->last, room, sizeof *grown);
    if (!grown)
        return false;
    memset(grown + j->room, 0xff, (room - j->room) * sizeof *grown);
    j->last = grown;
    j->room = room;
    return true;
}

static bool node_join(struct page_tree *page, struct joining *j, int side, uint32_t i, bool search)
{
    const struct tree_node *from = &page->profiles[side]->nodes[i];
    uint32_t function = page->function_of[side][from->function];
    uint32_t parent = i ? j->place[from->parent] : PAGE_NONE, at;
    if (!i)
        at = page->node_count ? 0 : PAGE_NONE;
    else
        at = search ? child_find(page, parent, function) : PAGE_NONE;
    if (at == PAGE_NONE) {
        at = page_tree_add(page, parent, function);
        if (at == PAGE_NONE || !joining_reserve(j, page->node_count))
            return false;
        if (parent != PAGE_NONE && j->last[parent] == PAGE_NONE)
            page->nodes[parent].first_child = at;
        else if (parent != PAGE_NONE)
            page->nodes[j->last[parent]].next_sibling = at;
        if (parent != PAGE_NONE)
            j->last[parent] = at;
    }
    j->place[i] = at;
    node_fill(&page->nodes[at], page, side, from);
    return true;
}

static uint32_t tree_next(const struct call_tree *tree, uint32_t at)
{
    if (tree->nodes[at].first_child != PAGE_NONE)
        return tree->nodes[at].first_child;
    while (at && tree->nodes[at].next_sibling == PAGE_NONE)
        at = tree->nodes[at].parent;
    return at ? tree->nodes[at].next_sibling : PAGE_NONE;
}

static bool nodes_join(struct page_tree *page, struct joining *j, int side, bool search)
{
    const struct call_tree *tree = page->profiles[side];
    j->place = calloc(tree->node_count + 1, sizeof *j->place);
    bool ok = j->place;
    for (uint32_t i = tree->node_count ? 0 : PAGE_NONE; ok && i != PAGE_NONE; i = tree_next(tree, i))
        ok = node_join(page, j, side, i, search);
    free(j->place);
    return ok;
}

bool page_tree_make(struct page_tree *page, const struct call_tree *before, const struct call_tree *after)
{
    *page = (struct page_tree){.profiles = {before, after}};
    struct joining j = {0};
    bool ok = functions_make(page);
    ok = ok && nodes_join(page, &j, 1, false); /* the second decides on the order */
    ok = ok && (!before || nodes_join(page, &j, 0, true));
    free(j.last);
    if (!ok)
        page_tree_free(page);
    return ok;
}

void page_tree_free(struct page_tree *page)
{
    free(page->nodes);
    free(page->functions);
    free(page->function_of[0]);
    free(page->function_of[1]);
    *page = (struct page_tree){0};
}
