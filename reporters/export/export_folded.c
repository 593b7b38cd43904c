/* Folded stacks, "main;parse;read 1234" with exclusive nanoseconds: flamegraph.pl and its kin. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOLDED_NONE UINT32_MAX
/* A path deeper than this is written without its middle: the format is quadratic in depth. */
#define FOLDED_DEPTH 1024

/* Clean, and without the separator of the format. NULL: out of memory. */
static char *folded_name(const char *name)
{
    char *clean = text_clean(name);
    for (char *p = clean; p && *p; p++)
        if (*p == ';')
            *p = ':';
    return clean;
}

static void folded_step(const struct call_tree *tree, char *const *names, uint32_t node, bool first, FILE *out)
{
    fputs(first ? "" : ";", out);
    if (tree->nodes[node].native) {
        char *native = folded_name(tree->nodes[node].native);
        if (native) { /* "a > b": a frame each */
            for (char *frame = native, *next; frame; frame = next) {
                next = strstr(frame, " > ");
                if (next) {
                    *next = 0;
                    next += 3;
                }
                fprintf(out, "[%s];", frame);
            }
        }
        free(native);
    }
    fputs(names[tree->nodes[node].function], out);
}

static void folded_path(const struct call_tree *tree, char *const *names, const uint32_t *path, size_t depth, FILE *out,
                        struct export_result *result)
{
    for (size_t i = 0; i < depth; i++) {
        if (depth > FOLDED_DEPTH && i == FOLDED_DEPTH / 2) {
            size_t left_out = depth - FOLDED_DEPTH;
            fprintf(out, ";[%zu calls left out]", left_out);
            i += left_out;
            result->cut_paths++;
        }
        folded_step(tree, names, path[i], i == 0, out);
    }
}

bool export_folded(const struct export_request *request, FILE *out, struct export_result *result)
{
    const struct call_tree *tree = request->tree;
    const struct tree_node *nodes = tree->nodes;
    char **names = calloc(tree->function_count + 1, sizeof *names);
    uint32_t *path = malloc((tree->node_count + 1) * sizeof *path);
    bool good = names && path;
    for (size_t i = 0; good && i < tree->function_count; i++)
        good = (names[i] = folded_name(tree->functions[i].name)) != NULL;
    size_t depth = 0;
    for (uint32_t at = good && tree->node_count ? nodes[0].first_child : FOLDED_NONE; at != FOLDED_NONE;) {
        path[depth++] = at;
        uint64_t cost = export_clamp(export_time(request, &nodes[at].exclusive), result);
        if (cost) {
            folded_path(tree, names, path, depth, out, result);
            fprintf(out, " %" PRIu64 "\n", cost);
        }
        if (nodes[at].first_child != FOLDED_NONE) {
            at = nodes[at].first_child;
            continue;
        }
        while (at != 0 && nodes[at].next_sibling == FOLDED_NONE) {
            at = nodes[at].parent;
            depth--;
        }
        if (at == 0)
            break;
        at = nodes[at].next_sibling;
        depth--;
    }
    for (size_t i = 0; names && i < tree->function_count; i++)
        free(names[i]);
    free(names);
    free(path);
    return good;
}
