#include "compensation/replay/cores/core_graph.h"

#include "compensation/numeric/array.h"

#include <stdlib.h>

uint32_t core_graph_add(struct core_graph *graph, const struct core_node *node)
{
    if (!ARRAY_ROOM(graph->nodes, graph->count, graph->room))
        return CORE_NONE;
    struct core_node *added = &graph->nodes[graph->count];
    *added = *node;
    added->waiter = 0;
    added->time = INT64_MIN;
    return graph->count++;
}

uint32_t core_graph_join(struct core_graph *graph, uint32_t one, uint32_t other)
{
    if (one == CORE_NONE || other == CORE_NONE || one == other)
        return one == CORE_NONE ? other : one;
    return core_graph_add(graph, &(struct core_node){.kind = CORE_JOIN, .location = one, .cause = other});
}

void core_graph_free(struct core_graph *graph)
{
    free(graph->nodes);
    *graph = (struct core_graph){0};
}
