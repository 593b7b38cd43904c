/* Pairs of caller and callee, with and without recursion. */
#include "reporters/tree/call_edges.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define NONE UINT32_MAX

/* A tree of one function a node name: 0 root, 1 main, 2 f, 3 g. */
static struct tree_function functions[4] = {{.name = "[root]"}, {.name = "main"}, {.name = "f"}, {.name = "g"}};

static struct tree_node node(uint32_t function, uint32_t parent, uint32_t child, uint32_t sibling, uint64_t calls,
                             double ns)
{
    return (struct tree_node){.function = function,
                              .parent = parent,
                              .first_child = child,
                              .next_sibling = sibling,
                              .calls = calls,
                              .inclusive = {.raw = 2 * ns, .compensated = ns, .uncertainty = 1}};
}

static const struct call_edge *find(const struct call_edges *edges, uint32_t caller, uint32_t callee)
{
    for (size_t i = call_edges_of_caller(edges, caller); i < edges->count && edges->list[i].caller == caller; i++)
        if (edges->list[i].callee == callee)
            return &edges->list[i];
    return NULL;
}

Test(call_edges, times_of_recursion_are_those_of_outermost_calls)
{
    /* main > f > g > f > f, main > g */
    struct tree_node nodes[] = {node(0, NONE, 1, NONE, 0, 0), node(1, 0, 2, NONE, 1, 100),
                                node(2, 1, 3, 6, 1, 60),      node(3, 2, 4, NONE, 2, 50),
                                node(2, 3, 5, NONE, 3, 40),   node(2, 4, NONE, NONE, 4, 30),
                                node(3, 1, NONE, NONE, 5, 20)};
    struct call_tree tree = {.nodes = nodes, .node_count = 7, .functions = functions, .function_count = 4};
    struct call_edges edges;
    cr_assert(call_edges_make(&edges, &tree));
    cr_expect(eq(sz, edges.count, 6));
    cr_expect(eq(dbl, find(&edges, 0, 1)->compensated, 100));
    cr_expect(eq(dbl, find(&edges, 1, 2)->compensated, 60));
    cr_expect(eq(dbl, find(&edges, 2, 3)->raw, 100));
    cr_expect(eq(dbl, find(&edges, 3, 2)->compensated, 0));
    cr_expect(eq(u64, find(&edges, 3, 2)->calls, 3));
    cr_expect(eq(dbl, find(&edges, 2, 2)->compensated, 0));
    cr_expect(eq(u64, find(&edges, 2, 2)->calls, 4));
    cr_expect(eq(dbl, find(&edges, 1, 3)->compensated, 20));
    cr_expect(eq(ptr, (void *)find(&edges, 3, 1), NULL));

    size_t at = call_edges_of_callee(&edges, 3); /* the costliest caller first */
    cr_expect(eq(u32, edges.list[edges.by_callee[at]].caller, 2));
    cr_expect(eq(u32, edges.list[edges.by_callee[at + 1]].caller, 1));
    cr_expect(eq(sz, call_edges_of_callee(&edges, 0), edges.count));
    call_edges_free(&edges);
}

Test(call_edges, an_empty_tree_has_none)
{
    struct tree_node root = node(0, NONE, NONE, NONE, 0, 0);
    struct call_tree tree = {.nodes = &root, .node_count = 1, .functions = functions, .function_count = 4};
    struct call_edges edges;
    cr_assert(call_edges_make(&edges, &tree));
    cr_expect(eq(sz, edges.count, 0));
    call_edges_free(&edges);
}
