/* Speedscope's JSON. An "evented" profile: every call path once, opened and closed on an axis of summed time; linear
 * in the size of the tree, whatever its depth. Streamed, with jansson for the texts. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/report/report_how.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCOPE_NONE UINT32_MAX

/* A JSON string, quoted. */
static bool scope_text(FILE *out, const char *text)
{
    char *clean = text_clean(text);
    json_t *json = clean ? json_string(clean) : NULL;
    free(clean);
    if (!json)
        return false;
    json_dumpf(json, out, JSON_ENCODE_ANY);
    json_decref(json);
    return true;
}

static bool scope_frames(const struct call_tree *tree, FILE *out)
{
    bool good = true;
    fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n\"shared\": {\"frames\": [", out);
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct tree_function *function = &tree->functions[i];
        fprintf(out, "%s\n {\"name\": ", i ? "," : "");
        good &= scope_text(out, function->name);
        if (function->file) {
            fputs(", \"file\": ", out);
            good &= scope_text(out, function->file);
        }
        if (function->file && function->line)
            fprintf(out, ", \"line\": %u", function->line);
        putc('}', out);
    }
    fputs("\n]},\n", out);
    return good;
}

static void scope_event(FILE *out, char type, uint32_t frame, uint64_t at, bool first)
{
    fprintf(out, "%s\n {\"type\": \"%c\", \"frame\": %u, \"at\": %" PRIu64 "}", first ? "" : ",", type, frame, at);
}

/* Inclusive time of every node as the sum of what is written below it; children follow from the exclusive times. */
static uint64_t scope_events(const struct export_request *request, FILE *out, struct export_result *result)
{
    const struct tree_node *nodes = request->tree->nodes;
    uint64_t now = 0;
    bool first = true;
    uint32_t at = request->tree->node_count ? nodes[0].first_child : SCOPE_NONE;
    while (at != SCOPE_NONE) {
        /* A node in which nothing was ever counted, "[beyond limit]" mostly, is left out. */
        bool written = nodes[at].calls || nodes[at].inclusive.raw != 0 || nodes[at].inclusive.compensated != 0 ||
                       nodes[at].first_child != SCOPE_NONE;
        if (written) {
            scope_event(out, 'O', nodes[at].function, now, first);
            first = false;
            now += export_clamp(export_time(request, &nodes[at].exclusive), result);
        }
        if (nodes[at].first_child != SCOPE_NONE) {
            at = nodes[at].first_child;
            continue;
        }
        for (;; written = true) {
            if (written)
                scope_event(out, 'C', nodes[at].function, now, false);
            if (nodes[at].next_sibling != SCOPE_NONE) {
                at = nodes[at].next_sibling;
                break;
            }
            at = nodes[at].parent;
            if (at == 0)
                return now;
        }
    }
    return now;
}

bool export_speedscope(const struct export_request *request, FILE *out, struct export_result *result)
{
    char name[300], clamped[200] = "", how[REPORT_HOW], comment[REPORT_HOW + 202];
    bool good = scope_frames(request->tree, out);
    snprintf(name, sizeof name, "%.200s (%s)", export_command(request), request->raw ? "raw" : "compensated");
    fputs("\"profiles\": [{\"type\": \"evented\", \"name\": ", out);
    good &= scope_text(out, name);
    fputs(", \"unit\": \"nanoseconds\", \"startValue\": 0, \"events\": [", out);
    uint64_t end = scope_events(request, out, result);
    fprintf(out, "\n], \"endValue\": %" PRIu64 "}],\n\"name\": ", end);
    good &= scope_text(out, name);
    fputs(", \"comment\": ", out);
    snprintf(comment, sizeof comment, "%s%s%s", report_how(request->tree, how),
             export_clamp_text(result, clamped, sizeof clamped) ? "; " : "", clamped);
    good &= scope_text(out, comment);
    fputs(", \"activeProfileIndex\": 0, \"exporter\": \"pcomp\"}\n", out);
    return good;
}
