/* The processed format of the Firefox Profiler, version 61, which later versions upgrade. A sample for each call path
 * and what it did (computing, waiting, ready), as heavy as that is long, on an axis of summed time for each thread.
 * Functions, frames and stacks are tables of columns that all threads share; a stack is a call path, and for each time
 * off the processor another one, whose innermost frame is of another category. */
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"
#include "reporters/export/export_json.h"

#include "pcomp_config.h"

#include <stdlib.h>

enum { FIREFOX_VERSION = 61, GECKO_VERSION = 30 };

enum state { COMPUTING, WAITING, READY, STATES };

struct extra_stack {
    uint32_t node;
    enum state state;
};

struct firefox {
    const struct export_request *request;
    struct export_result *result;
    struct export_forest forest;
    struct export_json json;
    uint64_t (*times)[STATES];  /* by node of the forest */
    struct extra_stack *extras; /* stacks behind those of the nodes */
    size_t extra_count;
    json_t *texts;           /* the string array behind the frames' names: index by text */
    json_t *files;           /* index of the source by its name */
    json_t *modules;         /* index of the library by its path */
    uint64_t samples, whole; /* how many; ns together */
};

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* --- Columns ------------------------------------------------------------------------------------------------------ */

typedef json_t *column_value(const struct firefox *f, size_t index);

static void column(struct firefox *f, const char *key, size_t count, column_value *value)
{
    export_json_open(&f->json, key, '[', false);
    for (size_t i = 0; i < count && !f->json.failed; i++)
        export_json_add(&f->json, NULL, value(f, i));
    export_json_close(&f->json);
}

static json_t *none(const struct firefox *f, size_t index)
{
    (void)f, (void)index;
    return json_null();
}

static json_t *zero(const struct firefox *f, size_t index)
{
    (void)f, (void)index;
    return json_integer(0);
}

static json_t *one(const struct firefox *f, size_t index)
{
    (void)f, (void)index;
    return json_integer(1);
}

static json_t *minus_one(const struct firefox *f, size_t index)
{
    (void)f, (void)index;
    return json_integer(-1);
}

static json_t *no(const struct firefox *f, size_t index)
{
    (void)f, (void)index;
    return json_false();
}

static json_t *same(const struct firefox *f, size_t index)
{
    (void)f;
    return json_integer((json_int_t)index);
}

/* --- Texts, sources, libraries: found by name --------------------------------------------------------------------- */

/* Index of the text among the keys, which are in the order in which they came. -1: none, or out of memory. */
static json_int_t numbered(json_t *numbers, const char *text)
{
    char *clean = text ? text_clean(text) : NULL;
    const json_t *known = clean ? json_object_get(numbers, clean) : NULL;
    json_int_t number = known ? json_integer_value(known) : (json_int_t)json_object_size(numbers);
    if (clean && !known && json_object_set_new(numbers, clean, json_integer(number)))
        number = -1;
    free(clean);
    return clean ? number : -1;
}

/* Index in the string array: names of frames come first. */
static json_int_t text_index(struct firefox *f, const char *clean)
{
    return (json_int_t)f->forest.frame_count + numbered(f->texts, clean);
}

static const struct tree_function *function_of(const struct firefox *f, size_t frame)
{
    static const struct tree_function unknown = {.line = 0};
    const struct tree_function *function = f->forest.frames[frame].function;
    return function ? function : &unknown;
}

static json_t *source_of(const struct firefox *f, size_t function)
{
    json_int_t index = numbered(f->files, function_of(f, function)->file);
    return index < 0 ? json_null() : json_integer(index);
}

static json_t *library_of(const struct firefox *f, size_t function)
{
    return json_integer(numbered(f->modules, function_of(f, function)->module));
}

static json_t *line_of(const struct firefox *f, size_t function)
{
    unsigned line = function_of(f, function)->line;
    return line ? json_integer(line) : json_null();
}

static void firefox_libraries(struct firefox *f)
{
    const char *path;
    json_t *number;
    export_json_open(&f->json, "libs", '[', true);
    json_object_foreach(f->modules, path, number)
    {
        const char *name = text_basename(path);
        export_json_add(&f->json, NULL,
                        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:n}", "arch", "", "name", name, "path", path, "debugName",
                                  name, "debugPath", path, "breakpadId", "", "codeId"));
    }
    export_json_close(&f->json);
}

/* A column with the texts' indices of the keys. */
static void names_column(struct firefox *f, const char *key, json_t *of, bool base)
{
    const char *name;
    json_t *number;
    export_json_open(&f->json, key, '[', false);
    json_object_foreach(of, name, number)
        export_json_number(&f->json, NULL, text_index(f, base ? text_basename(name) : name));
    export_json_close(&f->json);
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* A frame of each function for each state. */
static json_t *frame_function(const struct firefox *f, size_t frame)
{
    return json_integer((json_int_t)(frame % f->forest.frame_count));
}

static json_t *frame_category(const struct firefox *f, size_t frame)
{
    json_int_t state = (json_int_t)frame / (json_int_t)f->forest.frame_count;
    return json_integer(f->request->tree->knows_waiting ? 1 + state : 0);
}

static json_t *frame_line(const struct firefox *f, size_t frame)
{
    return line_of(f, frame % f->forest.frame_count);
}

static json_t *stack_frame(const struct firefox *f, size_t stack)
{
    size_t nodes = f->forest.node_count;
    const struct extra_stack *extra = stack < nodes ? NULL : &f->extras[stack - nodes];
    uint32_t frame = f->forest.nodes[extra ? extra->node : stack].frame;
    json_int_t count = (json_int_t)f->forest.frame_count;
    return json_integer(frame + (extra ? (json_int_t)extra->state * count : 0));
}

static json_t *stack_prefix(const struct firefox *f, size_t stack)
{
    size_t nodes = f->forest.node_count;
    uint32_t parent = f->forest.nodes[stack < nodes ? stack : f->extras[stack - nodes].node].parent;
    return parent == EXPORT_NONE ? json_null() : json_integer(parent);
}

static void firefox_functions(struct firefox *f)
{
    size_t count = f->forest.frame_count;
    export_json_open(&f->json, "funcTable", '{', true);
    column(f, "name", count, same);
    column(f, "isJS", count, no);
    column(f, "relevantForJS", count, no);
    column(f, "resource", count, library_of); /* a resource is a library */
    column(f, "source", count, source_of);
    column(f, "lineNumber", count, line_of);
    column(f, "columnNumber", count, none);
    export_json_number(&f->json, "length", (int64_t)count);
    export_json_close(&f->json);
}

static void firefox_frames(struct firefox *f)
{
    size_t count = STATES * f->forest.frame_count;
    export_json_open(&f->json, "frameTable", '{', true);
    column(f, "address", count, minus_one);
    column(f, "inlineDepth", count, zero);
    column(f, "category", count, frame_category);
    column(f, "subcategory", count, zero);
    column(f, "func", count, frame_function);
    column(f, "nativeSymbol", count, none);
    column(f, "innerWindowID", count, zero);
    column(f, "line", count, frame_line);
    column(f, "column", count, none);
    export_json_number(&f->json, "length", (int64_t)count);
    export_json_close(&f->json);
}

static void firefox_stacks(struct firefox *f)
{
    size_t count = f->forest.node_count + f->extra_count;
    export_json_open(&f->json, "stackTable", '{', true);
    column(f, "frame", count, stack_frame);
    column(f, "prefix", count, stack_prefix);
    export_json_number(&f->json, "length", (int64_t)count);
    export_json_close(&f->json);
}

static void firefox_named(struct firefox *f)
{
    size_t files = json_object_size(f->files), modules = json_object_size(f->modules);
    export_json_open(&f->json, "sources", '{', true);
    names_column(f, "filename", f->files, false);
    column(f, "id", files, none);
    column(f, "startLine", files, one);
    column(f, "startColumn", files, one);
    column(f, "sourceMapURL", files, none);
    export_json_number(&f->json, "length", (int64_t)files);
    export_json_close(&f->json);
    export_json_open(&f->json, "resourceTable", '{', true);
    names_column(f, "name", f->modules, true);
    column(f, "lib", modules, same);
    column(f, "host", modules, none);
    column(f, "type", modules, one); /* a library */
    export_json_number(&f->json, "length", (int64_t)modules);
    export_json_close(&f->json);
    export_json_add(&f->json, "nativeSymbols",
                    json_pack("{s:[],s:[],s:[],s:[],s:i}", "libIndex", "address", "name", "functionSize", "length", 0));
}

static void firefox_texts(struct firefox *f)
{
    const char *text;
    json_t *number;
    export_json_open(&f->json, "stringArray", '[', true);
    for (size_t i = 0; i < f->forest.frame_count; i++)
        export_json_text(&f->json, NULL, f->forest.frames[i].name);
    json_object_foreach(f->texts, text, number) export_json_text(&f->json, NULL, text);
    export_json_close(&f->json);
}

static void firefox_shared(struct firefox *f)
{
    export_json_open(&f->json, "shared", '{', true);
    firefox_functions(f); /* finds sources and libraries */
    firefox_frames(f);
    firefox_stacks(f);
    firefox_named(f); /* finds texts */
    firefox_texts(f);
    export_json_close(&f->json);
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

struct sample {
    uint32_t stack;
    uint64_t time; /* ns */
};

/* Of one thread, into samples, which has room for all. */
static size_t samples_of(const struct firefox *f, const struct export_thread *thread, struct sample *samples,
                         size_t *extra)
{
    size_t count = 0;
    for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
        if (f->times[i][COMPUTING])
            samples[count++] = (struct sample){i, f->times[i][COMPUTING]};
        for (; *extra < f->extra_count && f->extras[*extra].node == i; ++*extra)
            samples[count++] =
                (struct sample){(uint32_t)(f->forest.node_count + *extra), f->times[i][f->extras[*extra].state]};
    }
    return count;
}

static void firefox_samples(struct firefox *f, const struct sample *samples, size_t count)
{
    uint64_t now = 0;
    export_json_open(&f->json, "samples", '{', true);
    export_json_open(&f->json, "stack", '[', false);
    for (size_t i = 0; i < count; i++)
        export_json_number(&f->json, NULL, samples[i].stack);
    export_json_close(&f->json);
    export_json_open(&f->json, "time", '[', false);
    for (size_t i = 0; i < count; now += samples[i++].time)
        export_json_add(&f->json, NULL, json_real(ms(now)));
    export_json_close(&f->json);
    export_json_open(&f->json, "weight", '[', false);
    for (size_t i = 0; i < count; i++)
        export_json_add(&f->json, NULL, json_real(ms(samples[i].time)));
    export_json_close(&f->json);
    export_json_text(&f->json, "weightType", "tracing-ms");
    export_json_number(&f->json, "length", (int64_t)count);
    export_json_close(&f->json);
}

static void firefox_thread(struct firefox *f, size_t index, struct sample *samples, size_t *extra)
{
    const struct export_thread *thread = &f->forest.threads[index];
    const struct tree_thread *known = thread->thread;
    struct export_json *json = &f->json;
    export_json_open(json, NULL, '{', true);
    export_json_text(json, "name", thread->name);
    export_json_add(json, "isMainThread", json_boolean(known && known->main));
    export_json_text(json, "processType", "default");
    export_json_text(json, "processName", thread->process_name);
    export_json_number(json, "processStartupTime", 0);
    export_json_add(json, "processShutdownTime", json_null());
    export_json_number(json, "registerTime", 0);
    export_json_add(json, "unregisterTime", json_null());
    export_json_add(json, "pausedRanges", json_array());
    export_json_add(json, "pid", json_sprintf("%d", known ? known->pid : 0));
    export_json_number(json, "tid", known ? known->tid : 0);
    export_json_add(json, "markers",
                    json_pack("{s:[],s:[],s:[],s:[],s:[],s:[],s:i}", "data", "name", "startTime", "endTime", "phase",
                              "category", "length", 0));
    firefox_samples(f, samples, samples_of(f, thread, samples, extra));
    export_json_close(json);
}

/* --- The document ------------------------------------------------------------------------------------------------- */

static bool firefox_prepare(struct firefox *f)
{
    size_t nodes = f->forest.node_count;
    f->times = calloc(nodes + 1, sizeof *f->times);
    f->extras = calloc(2 * nodes + 1, sizeof *f->extras);
    f->texts = json_object();
    f->files = json_object();
    f->modules = json_object();
    if (!f->times || !f->extras || !f->texts || !f->files || !f->modules)
        return false;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!f->forest.nodes[i].node)
            continue;
        struct export_times t = export_times(f->request, &f->forest.nodes[i].node->exclusive, NULL);
        f->times[i][COMPUTING] = t.computing;
        f->times[i][WAITING] = t.waiting;
        f->times[i][READY] = t.time - t.computing - t.waiting;
        for (int s = COMPUTING; s < STATES; s++) {
            if (s != COMPUTING && f->times[i][s])
                f->extras[f->extra_count++] = (struct extra_stack){i, (enum state)s};
            f->samples += f->times[i][s] != 0;
            f->whole += f->times[i][s];
        }
    }
    return true;
}

static json_t *category(const char *name, const char *colour)
{
    return json_pack("{s:s,s:s,s:[s]}", "name", name, "color", colour, "subcategories", "Other");
}

static void firefox_meta(struct firefox *f)
{
    char *comment = export_comment(f->request, f->result), *command = text_clean(export_command(f->request));
    export_json_add(
        &f->json, "meta",
        json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:f,s:f,s:b,s:b,s:b,s:[],s:{s:[],s:[],s:[],s:i},s:[o,o,o,o],"
                  "s:{s:s,s:s,s:s},s:[{s:s,s:[{s:s,s:s,s:s}]}]}",
                  "product", command ? command : "", "importedFrom", "pcomp", "appBuildID", PCOMP_VERSION, "version",
                  GECKO_VERSION, "preprocessedProfileVersion", FIREFOX_VERSION, "processType", 0, "stackwalk", 1,
                  "interval", f->samples ? ms(f->whole) / (double)f->samples : 1.0, "startTime", 0.0, "symbolicated", 1,
                  "sourceCodeIsNotOnSearchfox", 1, "usesOnlyOneStackType", 1, "markerSchema", "extensions", "id",
                  "name", "baseURL", "length", 0, "categories", category("Other", "grey"),
                  category("Computing", "blue"), category("Waiting", "yellow"), category("Ready", "orange"),
                  "sampleUnits", "time", "ms", "eventDelay", "ms", "threadCPUDelta", "ns", "extra", "label", "pcomp",
                  "entries", "label", "Times", "format", "string", "value", comment ? comment : ""));
    free(comment);
    free(command);
}

static void firefox_write(struct firefox *f, struct sample *samples)
{
    size_t extra = 0;
    firefox_meta(f);
    firefox_shared(f);
    firefox_libraries(f);
    export_json_open(&f->json, "threads", '[', true);
    for (size_t t = 0; t < f->forest.thread_count && !f->json.failed; t++)
        firefox_thread(f, t, samples, &extra);
    export_json_close(&f->json);
}

bool export_firefox(const struct export_request *request, FILE *out, struct export_result *result)
{
    struct firefox f = {.request = request, .result = result};
    if (!export_forest_make(&f.forest, request->tree))
        return false;
    struct sample *samples = calloc(STATES * f.forest.node_count + 1, sizeof *samples);
    export_forest_clamps(&f.forest, request, result);
    bool good = samples && firefox_prepare(&f);
    if (good) {
        export_json_begin(&f.json, out, '{');
        firefox_write(&f, samples);
        good = export_json_end(&f.json);
    }
    free(samples);
    free(f.times);
    free(f.extras);
    json_decref(f.texts);
    json_decref(f.files);
    json_decref(f.modules);
    export_forest_free(&f.forest);
    return good;
}
