/* pprof's profile.proto, gzip around it. Written in parts, which a reader sees as one message; memory holds a part.
 * Process and thread are labels of a sample. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"
#include "reporters/export/export_gzip.h"

#include "reporters/export/pprof.pb-c.h"

#include <jansson.h>
#include <stdlib.h>

enum { VALUES_MAX = 5 };

struct pprof {
    const struct export_request *request;
    struct export_result *result;
    struct export_forest forest;
    struct export_gzip gzip;
    json_t *texts; /* index in string_table by text */
    int64_t text_count;
    json_t *modules; /* id of the mapping by path */
    unsigned char *buffer;
    size_t room;
    size_t values; /* of a sample */
    bool failed;
};

static void pprof_part(struct pprof *p, const Pprof__Profile *part)
{
    size_t size = pprof__profile__get_packed_size(part);
    if (size > p->room) {
        free(p->buffer);
        p->room = 2 * size;
        p->buffer = malloc(p->room);
        p->failed |= !p->buffer;
    }
    if (p->failed)
        return;
    pprof__profile__pack(part, p->buffer);
    export_gzip_write(&p->gzip, p->buffer, size);
}

/* Its index in the string table; clean. */
static int64_t pprof_text(struct pprof *p, const char *clean)
{
    const json_t *known = json_object_get(p->texts, clean);
    if (known)
        return json_integer_value(known);
    Pprof__Profile part = PPROF__PROFILE__INIT;
    char *text = (char *)(uintptr_t)clean;
    part.n_string_table = 1;
    part.string_table = &text;
    pprof_part(p, &part);
    p->failed |= json_object_set_new(p->texts, clean, json_integer(p->text_count)) != 0;
    return p->text_count++;
}

/* A text that may be any bytes; NULL is the empty one. */
static int64_t pprof_any(struct pprof *p, const char *text)
{
    char *clean = text ? text_clean(text) : NULL;
    p->failed |= text && !clean;
    int64_t index = clean ? pprof_text(p, clean) : 0;
    free(clean);
    return index;
}

static void pprof_head(struct pprof *p)
{
    static const char *const names[VALUES_MAX] = {"calls", "time", "computing", "waiting", "raw"};
    Pprof__ValueType types[VALUES_MAX], *list[VALUES_MAX];
    const struct call_tree *tree = p->request->tree;
    Pprof__Profile head = PPROF__PROFILE__INIT;
    pprof_text(p, ""); /* is the first */
    for (size_t i = 0; i < VALUES_MAX; i++) {
        bool off_cpu = i == 2 || i == 3, raw = i == 4;
        if ((off_cpu && !tree->knows_waiting) || (raw && p->request->raw))
            continue;
        pprof__value_type__init(&types[p->values]);
        types[p->values].type = pprof_text(p, names[i]);
        types[p->values].unit = pprof_text(p, i ? "nanoseconds" : "count");
        list[p->values] = &types[p->values];
        p->values++;
    }
    head.n_sample_type = p->values;
    head.sample_type = list;
    head.default_sample_type = pprof_text(p, "time");
    double total = p->request->raw ? tree->total.raw : tree->total.compensated;
    head.duration_nanos = total > 0 && total < 0x1p62 ? (int64_t)total : 0;
    pprof_part(p, &head);
}

/* In the order of the head. */
static size_t pprof_values(const struct pprof *p, const struct tree_node *node, int64_t *values, bool *any)
{
    struct export_times t = export_times(p->request, &node->exclusive, NULL);
    size_t count = 0;
    values[count++] = (int64_t)node->calls;
    values[count++] = (int64_t)t.time;
    if (p->request->tree->knows_waiting) {
        values[count++] = (int64_t)t.computing;
        values[count++] = (int64_t)t.waiting;
    }
    if (!p->request->raw)
        values[count++] = (int64_t)t.raw;
    *any = node->calls || t.time || t.raw;
    return count;
}

static void pprof_label(struct pprof *p, Pprof__Label *label, const char *key, const char *clean)
{
    pprof__label__init(label);
    label->key = pprof_text(p, key);
    label->str = pprof_text(p, clean);
}

static void pprof_thread(struct pprof *p, const struct export_thread *thread)
{
    Pprof__Label labels[2], *label_list[2] = {&labels[0], &labels[1]};
    Pprof__Profile part = PPROF__PROFILE__INIT;
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *list = &sample;
    int64_t values[VALUES_MAX];
    uint32_t path[EXPORT_DEPTH + 1];
    uint64_t locations[EXPORT_DEPTH + 1];
    pprof_label(p, &labels[0], "process", thread->process_name);
    pprof_label(p, &labels[1], "thread", thread->name);
    sample.n_label = 2;
    sample.label = label_list;
    sample.value = values;
    sample.location_id = locations;
    part.n_sample = 1;
    part.sample = &list;
    for (uint32_t i = thread->first; i < thread->first + thread->count && !p->failed; i++) {
        const struct tree_node *node = p->forest.nodes[i].node;
        size_t left_out;
        bool any = false;
        if (node)
            sample.n_value = pprof_values(p, node, values, &any);
        if (!any)
            continue;
        sample.n_location_id = export_forest_path(&p->forest, i, path, &left_out);
        for (size_t k = 0; k < sample.n_location_id; k++)
            locations[k] = path[sample.n_location_id - 1 - k] + 1ull;
        p->result->cut_paths += left_out != 0;
        pprof_part(p, &part);
    }
}

/* The number of the module's mapping, which is written at its first use. */
static uint64_t pprof_mapping(struct pprof *p, const char *module)
{
    char *clean = text_clean(module);
    const json_t *known = clean ? json_object_get(p->modules, clean) : NULL;
    uint64_t id = known ? (uint64_t)json_integer_value(known) : json_object_size(p->modules) + 1;
    if (clean && !known) {
        Pprof__Profile part = PPROF__PROFILE__INIT;
        Pprof__Mapping mapping = PPROF__MAPPING__INIT, *list = &mapping;
        mapping.id = id;
        mapping.filename = pprof_text(p, clean);
        mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true; /* nothing to be looked up */
        part.n_mapping = 1;
        part.mapping = &list;
        pprof_part(p, &part);
        p->failed |= json_object_set_new(p->modules, clean, json_integer((json_int_t)id)) != 0;
    }
    p->failed |= !clean;
    free(clean);
    return id;
}

/* The program is the first mapping: pprof names the profile after it. */
static void pprof_main_mapping(struct pprof *p)
{
    const struct call_tree *tree = p->request->tree;
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main && tree->processes[i].executable)
            pprof_mapping(p, tree->processes[i].executable);
}

static void pprof_frame(struct pprof *p, uint32_t index)
{
    const struct export_frame *frame = &p->forest.frames[index];
    const struct tree_function *known = frame->function;
    Pprof__Profile part = PPROF__PROFILE__INIT;
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
    Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
    Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
    function.id = location.id = line.function_id = index + 1ull;
    function.name = pprof_text(p, frame->name);
    function.system_name = known ? pprof_any(p, known->linkage_name) : function.name;
    if (known) {
        function.filename = pprof_any(p, known->file);
        function.start_line = line.line = known->line;
        location.mapping_id = known->module ? pprof_mapping(p, known->module) : 0;
    }
    location.n_line = 1;
    location.line = &lines;
    part.n_function = part.n_location = 1;
    part.function = &functions;
    part.location = &locations;
    pprof_part(p, &part);
}

static void pprof_comment(struct pprof *p)
{
    Pprof__Profile part = PPROF__PROFILE__INIT;
    char *comment = export_comment(p->request, p->result);
    int64_t texts[2] = {pprof_any(p, export_command(p->request)), comment ? pprof_text(p, comment) : 0};
    p->failed |= !comment;
    part.n_comment = 2;
    part.comment = texts;
    pprof_part(p, &part);
    free(comment);
}

bool export_pprof(const struct export_request *request, FILE *out, struct export_result *result)
{
    struct pprof p = {.request = request, .result = result, .texts = json_object(), .modules = json_object()};
    bool forest = p.texts && p.modules && export_forest_make(&p.forest, request->tree);
    bool good = forest && export_gzip_begin(&p.gzip, out);
    if (good) {
        export_forest_clamps(&p.forest, request, result);
        pprof_head(&p);
        pprof_main_mapping(&p);
        for (uint32_t i = 0; i < p.forest.frame_count && !p.failed; i++)
            pprof_frame(&p, i);
        for (size_t t = 0; t < p.forest.thread_count; t++)
            pprof_thread(&p, &p.forest.threads[t]);
        pprof_comment(&p);
        export_gzip_end(&p.gzip);
    }
    if (forest)
        export_forest_free(&p.forest);
    json_decref(p.texts);
    json_decref(p.modules);
    free(p.buffer);
    return good && !p.failed;
}
