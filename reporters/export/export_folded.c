/* Folded stacks, "shop (pid 1);main (tid 1);parse;read 1234" with exclusive nanoseconds: flamegraph.pl and its kin. */
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"

#include <inttypes.h>
#include <stdlib.h>

/* Without the separator of the format. */
static void folded_name(const char *name, FILE *out)
{
    for (; *name; name++)
        putc(*name == ';' ? ':' : *name, out);
}

static void folded_path(const struct export_forest *forest, const struct export_thread *thread, const uint32_t *path,
                        size_t depth, size_t left_out, FILE *out)
{
    folded_name(thread->process_name, out);
    putc(';', out);
    folded_name(thread->name, out);
    for (size_t i = 0; i < depth; i++) {
        putc(';', out);
        if (path[i] == forest->left_out)
            fprintf(out, "[%zu calls left out]", left_out);
        else
            folded_name(forest->frames[path[i]].name, out);
    }
}

bool export_folded(const struct export_request *request, FILE *out, struct export_result *result)
{
    struct export_forest forest;
    uint32_t path[EXPORT_DEPTH + 1];
    if (!export_forest_make(&forest, request->tree))
        return false;
    export_forest_clamps(&forest, request, result);
    for (size_t t = 0; t < forest.thread_count; t++)
        for (uint32_t i = 0; i < forest.threads[t].count; i++) {
            uint32_t node = forest.threads[t].first + i;
            size_t left_out, depth;
            if (!forest.nodes[node].node)
                continue;
            uint64_t time = export_times(request, &forest.nodes[node].node->exclusive, NULL).time;
            if (!time)
                continue;
            depth = export_forest_path(&forest, node, path, &left_out);
            folded_path(&forest, &forest.threads[t], path, depth, left_out, out);
            fprintf(out, " %" PRIu64 "\n", time);
            result->cut_paths += left_out != 0;
        }
    export_forest_free(&forest);
    return true;
}
