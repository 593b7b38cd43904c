/* Speedscope's JSON: an "evented" profile for each thread, with every call path once, opened and closed on an axis of
 * summed time; linear in the size of the tree, whatever its depth. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"
#include "reporters/export/export_json.h"

#include <stdlib.h>

struct scope {
    const struct export_request *request;
    struct export_forest forest;
    struct export_json json;
    json_t *event, *at, *frame; /* the event that is written, again and again */
};

static void scope_frames(struct scope *s)
{
    export_json_open(&s->json, "shared", '{', false);
    export_json_open(&s->json, "frames", '[', true);
    for (size_t i = 0; i < s->forest.frame_count; i++) {
        const struct tree_function *function = s->forest.frames[i].function;
        char *file = function && function->file ? text_clean(function->file) : NULL;
        export_json_add(&s->json, NULL,
                        json_pack("{s:s,s:s*,s:o*}", "name", s->forest.frames[i].name, "file", file, "line",
                                  file && function->line ? json_integer(function->line) : NULL));
        free(file);
    }
    export_json_close(&s->json);
    export_json_close(&s->json);
}

static void scope_event(struct scope *s, const char *type, uint32_t frame, uint64_t at)
{
    json_object_set_new(s->event, "type", json_string(type));
    json_integer_set(s->frame, frame);
    json_integer_set(s->at, (json_int_t)at);
    export_json_kept(&s->json, NULL, s->event);
}

/* The inclusive time of every node is the sum of what is written below it. */
static uint64_t scope_events(struct scope *s, const struct export_thread *thread)
{
    const struct export_node *nodes = s->forest.nodes;
    uint64_t now = 0;
    uint32_t open = EXPORT_NONE; /* innermost */
    for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
        for (; open != nodes[i].parent; open = nodes[open].parent)
            scope_event(s, "C", nodes[open].frame, now);
        scope_event(s, "O", nodes[i].frame, now);
        if (nodes[i].node)
            now += export_times(s->request, &nodes[i].node->exclusive, NULL).time;
        open = i;
    }
    for (; open != EXPORT_NONE; open = nodes[open].parent)
        scope_event(s, "C", nodes[open].frame, now);
    return now;
}

static void scope_profile(struct scope *s, const struct export_thread *thread)
{
    struct export_json *json = &s->json;
    export_json_open(json, NULL, '{', false);
    export_json_text(json, "type", "evented");
    export_json_add(json, "name", json_sprintf("%s %s", thread->process_name, thread->name));
    export_json_text(json, "unit", "nanoseconds");
    export_json_number(json, "startValue", 0);
    export_json_open(json, "events", '[', true);
    uint64_t end = scope_events(s, thread);
    export_json_close(json);
    export_json_number(json, "endValue", (int64_t)end);
    export_json_close(json);
}

bool export_speedscope(const struct export_request *request, FILE *out, struct export_result *result)
{
    struct scope s = {.request = request, .at = json_integer(0), .frame = json_integer(0)};
    s.event = json_pack("{s:s,s:O,s:O}", "type", "O", "frame", s.frame, "at", s.at);
    if (!export_forest_make(&s.forest, request->tree)) {
        json_decref(s.event);
        json_decref(s.at);
        json_decref(s.frame);
        return false;
    }
    export_forest_clamps(&s.forest, request, result);
    export_json_begin(&s.json, out, '{');
    s.json.failed |= !s.event;
    export_json_text(&s.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    scope_frames(&s);
    export_json_open(&s.json, "profiles", '[', true);
    for (size_t t = 0; t < s.forest.thread_count && !s.json.failed; t++)
        scope_profile(&s, &s.forest.threads[t]);
    export_json_close(&s.json);
    char *comment = export_comment(request, result), *command = text_clean(export_command(request));
    export_json_add(&s.json, "name",
                    command ? json_sprintf("%.200s (%s)", command, request->raw ? "raw" : "compensated") : NULL);
    export_json_add(&s.json, "comment", comment ? json_string(comment) : NULL);
    export_json_number(&s.json, "activeProfileIndex", 0);
    export_json_text(&s.json, "exporter", "pcomp");
    free(comment);
    free(command);
    json_decref(s.event);
    json_decref(s.at);
    json_decref(s.frame);
    export_forest_free(&s.forest);
    return export_json_end(&s.json);
}
