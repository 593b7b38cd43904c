/* The .cpuprofile of Chrome's DevTools: processes and threads are the outermost calls. One sample for each call path
 * with time of its own, as long as that time; whole microseconds, rounded so that their sum is right. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"
#include "reporters/export/export_json.h"

#include <stdlib.h>

#define CPU_ROOT  1u
#define CPU_FIRST 2u /* ids: the root, a process and a thread for each thread, the nodes */

struct cpu {
    const struct export_request *request;
    struct export_result *result;
    struct export_forest forest;
    struct export_json json;
    uint32_t *process; /* by thread: first thread of the same process, which has its node */
    uint32_t *next;    /* by node, + 1: next sibling; 0 none */
    uint32_t *child;   /* by node, + 1: first child; 0 none */
    uint64_t *times;   /* by node: exclusive, ns */
};

static uint32_t process_id(uint32_t thread)
{
    return CPU_FIRST + 2 * thread;
}

static uint32_t node_id(const struct cpu *c, uint32_t node)
{
    return CPU_FIRST + 2 * (uint32_t)c->forest.thread_count + node;
}

/* Nearest. */
static int64_t micro(uint64_t ns)
{
    return (int64_t)(ns / 1000 + (ns % 1000 >= 500));
}

static bool cpu_prepare(struct cpu *c)
{
    const struct export_forest *f = &c->forest;
    c->process = calloc(f->thread_count + 1, sizeof *c->process);
    c->next = calloc(f->node_count + 1, sizeof *c->next);
    c->child = calloc(f->node_count + 1, sizeof *c->child);
    c->times = calloc(f->node_count + 1, sizeof *c->times);
    if (!c->process || !c->next || !c->child || !c->times)
        return false;
    for (uint32_t t = 0; t < f->thread_count; t++)
        c->process[t] = t && f->threads[t].process == f->threads[t - 1].process ? c->process[t - 1] : t;
    for (uint32_t i = (uint32_t)f->node_count; i-- > 0;) {
        uint32_t parent = f->nodes[i].parent;
        if (parent != EXPORT_NONE) {
            c->next[i] = c->child[parent];
            c->child[parent] = i + 1;
        }
    }
    for (size_t i = 0; i < f->node_count; i++)
        if (f->nodes[i].node)
            c->times[i] = export_times(c->request, &f->nodes[i].node->exclusive, NULL).time;
    return true;
}

static void cpu_node(struct cpu *c, uint32_t id, const char *name, const struct tree_function *function, bool hit)
{
    char *file = text_clean(function && function->file ? function->file : "");
    export_json_open(&c->json, NULL, '{', false);
    export_json_number(&c->json, "id", id);
    export_json_add(&c->json, "callFrame",
                    file ? json_pack("{s:s,s:s,s:s,s:I,s:i}", "functionName", name, "scriptId", "0", "url", file,
                                     "lineNumber", (json_int_t)(function ? function->line : 0) - 1, "columnNumber", -1)
                         : NULL);
    export_json_number(&c->json, "hitCount", hit);
    export_json_open(&c->json, "children", '[', false);
    free(file);
}

static void cpu_end(struct cpu *c)
{
    export_json_close(&c->json);
    export_json_close(&c->json);
}

static void cpu_thread(struct cpu *c, uint32_t t)
{
    const struct export_forest *f = &c->forest;
    const struct export_thread *thread = &f->threads[t];
    if (c->process[t] == t) {
        cpu_node(c, process_id(t), thread->process_name, NULL, false);
        for (uint32_t u = t; u < f->thread_count && c->process[u] == t; u++)
            export_json_number(&c->json, NULL, process_id(u) + 1);
        cpu_end(c);
    }
    cpu_node(c, process_id(t) + 1, thread->name, NULL, false);
    for (uint32_t i = thread->first; i < thread->first + thread->count; i++)
        if (f->nodes[i].parent == EXPORT_NONE)
            export_json_number(&c->json, NULL, node_id(c, i));
    cpu_end(c);
    for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
        const struct export_frame *frame = &f->frames[f->nodes[i].frame];
        cpu_node(c, node_id(c, i), frame->name, frame->function, c->times[i] != 0);
        for (uint32_t at = c->child[i]; at; at = c->next[at - 1])
            export_json_number(&c->json, NULL, node_id(c, at - 1));
        cpu_end(c);
    }
}

/* A sample lasts until the next one; the last one, of the root, ends the profile. */
static int64_t cpu_samples(struct cpu *c)
{
    uint64_t now = 0, end = 0;
    export_json_open(&c->json, "samples", '[', false);
    for (uint32_t i = 0; i < c->forest.node_count; i++)
        if (c->times[i])
            export_json_number(&c->json, NULL, node_id(c, i));
    export_json_number(&c->json, NULL, CPU_ROOT);
    export_json_close(&c->json);
    export_json_open(&c->json, "timeDeltas", '[', false);
    for (size_t i = 0; i < c->forest.node_count; i++)
        if (c->times[i]) {
            export_json_number(&c->json, NULL, micro(end) - micro(now));
            now = end;
            end += c->times[i];
        }
    export_json_number(&c->json, NULL, micro(end) - micro(now));
    export_json_close(&c->json);
    return micro(end);
}

static void cpu_write(struct cpu *c)
{
    export_json_open(&c->json, "nodes", '[', true);
    cpu_node(c, CPU_ROOT, "(root)", NULL, false);
    for (uint32_t t = 0; t < c->forest.thread_count; t++)
        if (c->process[t] == t)
            export_json_number(&c->json, NULL, process_id(t));
    cpu_end(c);
    for (uint32_t t = 0; t < c->forest.thread_count && !c->json.failed; t++)
        cpu_thread(c, t);
    export_json_close(&c->json);
    export_json_number(&c->json, "startTime", 0);
    export_json_number(&c->json, "endTime", cpu_samples(c));
    char *comment = export_comment(c->request, c->result);
    export_json_add(&c->json, "comment", comment ? json_string(comment) : NULL);
    free(comment);
}

bool export_cpuprofile(const struct export_request *request, FILE *out, struct export_result *result)
{
    struct cpu c = {.request = request, .result = result};
    if (!export_forest_make(&c.forest, request->tree))
        return false;
    export_forest_clamps(&c.forest, request, result);
    bool good = cpu_prepare(&c);
    if (good) {
        export_json_begin(&c.json, out, '{');
        cpu_write(&c);
        good = export_json_end(&c.json);
    }
    free(c.process);
    free(c.next);
    free(c.child);
    free(c.times);
    export_forest_free(&c.forest);
    return good;
}
