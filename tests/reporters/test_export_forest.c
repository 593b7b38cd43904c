/* Call paths as other tools see them: threads apart, native frames, deep recursion. */
#include "reporters/export/export_forest.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ROOT, MAIN, WORK, DEEP, FUNCTIONS };

static struct tree_function functions[FUNCTIONS] = {
    {.name = "[root]"}, {.name = "main\xff"}, {.name = "work"}, {.name = "deep"}};
static struct tree_process processes[2] = {{.pid = 10, .rank = -1, .executable = "/opt/shop"}, {.pid = 20, .rank = 1}};
static struct tree_thread threads[3] = {{.pid = 10, .tid = 10, .rank = -1, .name = "shop"},
                                        {.pid = 10, .tid = 11, .rank = -1},
                                        {.pid = 20, .tid = 20, .rank = 1, .name = "shop"}};

/* A chain of `depth` calls below node `parent`, which has no child yet; returns the next free node. */
static uint32_t chain(struct tree_node *nodes, uint32_t at, uint32_t parent, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++, parent = at++) {
        nodes[at] = (struct tree_node){
            .function = DEEP, .parent = parent, .first_child = EXPORT_NONE, .next_sibling = EXPORT_NONE, .calls = 1};
        nodes[parent].first_child = at;
    }
    return at;
}

static struct tree_node node(uint32_t function, uint32_t parent, uint32_t child, uint32_t sibling)
{
    return (struct tree_node){
        .function = function, .parent = parent, .first_child = child, .next_sibling = sibling, .calls = 1};
}

Test(export_forest, threads_stay_apart_and_in_order)
{
    /* siblings are in order of time: the worker's call is first */
    struct tree_node nodes[] = {
        node(ROOT, EXPORT_NONE, 1, EXPORT_NONE), node(WORK, 0, EXPORT_NONE, 2), node(MAIN, 0, 5, 3),
        node(MAIN, 0, EXPORT_NONE, 4),           node(WORK, 0, EXPORT_NONE, 6), node(WORK, 2, EXPORT_NONE, EXPORT_NONE),
        node(DEEP, 0, EXPORT_NONE, EXPORT_NONE)};
    uint32_t owners[] = {0, 1, 0, 2, EXPORT_NONE, 0, 1};
    nodes[5].native = "qsort_r > __libc_call";
    const struct call_tree tree = {.nodes = nodes,
                                   .node_count = 7,
                                   .owners = owners,
                                   .functions = functions,
                                   .function_count = FUNCTIONS,
                                   .processes = processes,
                                   .process_count = 2,
                                   .threads = threads,
                                   .thread_count = 3};
    struct export_forest forest;
    cr_assert(export_forest_make(&forest, &tree));
    cr_assert_eq(forest.thread_count, 4);
    cr_assert_str_eq(forest.threads[0].process_name, "shop (pid 10)");
    cr_assert_str_eq(forest.threads[0].name, "shop (tid 10)");
    cr_assert_str_eq(forest.threads[1].name, "thread (tid 11)");
    cr_assert_str_eq(forest.threads[2].process_name, "rank 1 (pid 20)");
    cr_assert_str_eq(forest.threads[3].name, "[all threads]");
    cr_assert_eq(forest.threads[0].count, 4, "main, two native frames, work");
    cr_assert_eq(forest.threads[1].count, 2);
    cr_assert_eq(forest.threads[2].count, 1);

    uint32_t path[EXPORT_DEPTH + 1];
    size_t left_out;
    cr_assert_eq(export_forest_path(&forest, 3, path, &left_out), 4);
    cr_assert_eq(left_out, 0);
    cr_assert_str_eq(forest.frames[path[0]].name, "main\xef\xbf\xbd", "names are clean");
    cr_assert_str_eq(forest.frames[path[1]].name, "[qsort_r]");
    cr_assert_str_eq(forest.frames[path[2]].name, "[__libc_call]");
    cr_assert_str_eq(forest.frames[path[3]].name, "work");
    cr_assert_null(forest.nodes[1].node, "a native frame has no time");
    export_forest_free(&forest);
}

Test(export_forest, the_middle_of_deep_paths_is_left_out)
{
    enum { DEPTH = 3000 };
    struct tree_node *nodes = calloc(DEPTH + 2, sizeof *nodes);
    cr_assert_not_null(nodes);
    nodes[0] = node(ROOT, EXPORT_NONE, 1, EXPORT_NONE);
    nodes[1] = node(MAIN, 0, EXPORT_NONE, EXPORT_NONE);
    uint32_t count = chain(nodes, 2, 1, DEPTH);
    uint32_t *owners = calloc(count, sizeof *owners);
    cr_assert_not_null(owners);
    const struct call_tree tree = {.nodes = nodes,
                                   .node_count = count,
                                   .owners = owners,
                                   .functions = functions,
                                   .function_count = FUNCTIONS,
                                   .processes = processes,
                                   .process_count = 1,
                                   .threads = threads,
                                   .thread_count = 1};
    struct export_forest forest;
    uint32_t path[EXPORT_DEPTH + 1];
    size_t left_out;
    cr_assert(export_forest_make(&forest, &tree));
    cr_assert_eq(forest.node_count, DEPTH + 1);
    cr_assert_eq(export_forest_path(&forest, EXPORT_DEPTH - 1, path, &left_out), EXPORT_DEPTH);
    cr_assert_eq(left_out, 0);
    cr_assert_eq(export_forest_path(&forest, EXPORT_DEPTH, path, &left_out), EXPORT_DEPTH + 1);
    cr_assert_eq(left_out, 1);
    cr_assert_eq(export_forest_path(&forest, DEPTH, path, &left_out), EXPORT_DEPTH + 1);
    cr_assert_eq(left_out, DEPTH + 1 - EXPORT_DEPTH);
    cr_assert_eq(path[0], MAIN);
    cr_assert_eq(path[EXPORT_DEPTH / 2], forest.left_out);
    for (uint32_t i = 1; i <= EXPORT_DEPTH; i++)
        cr_assert(i == EXPORT_DEPTH / 2 || path[i] == DEEP);
    export_forest_free(&forest);
    free(nodes);
    free(owners);
}
