#include "reporters/export/export_json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_MIN 4096

static void put(struct export_json *json, const char *text, size_t length)
{
    json->bytes += length;
    fwrite(text, 1, length, json->out);
}

static void put_value(struct export_json *json, const json_t *value)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15);
    size_t size = value && json->buffer ? json_dumpb(value, json->buffer, json->room, flags) : 0;
    if (size > json->room) {
        free(json->buffer);
        json->buffer = malloc(json->room = 2 * size);
        size = json->buffer ? json_dumpb(value, json->buffer, json->room, flags) : 0;
    }
    json->failed |= !size;
    if (size)
        put(json, json->buffer, size);
}

/* What stands before a value. */
static void put_before(struct export_json *json, const char *key)
{
    if (!json->depth)
        return;
    bool lines = json->open[json->depth - 1].lines;
    if (json->open[json->depth - 1].begun)
        put(json, ",", 1);
    json->open[json->depth - 1].begun = true;
    if (lines)
        put(json, "\n", 1);
    if (key) { /* of ours, plain */
        put(json, "\"", 1);
        put(json, key, strlen(key));
        put(json, "\":", 2);
    }
}

void export_json_open(struct export_json *json, const char *key, char open, bool lines)
{
    assert(json->depth < EXPORT_JSON_DEPTH);
    put_before(json, key);
    put(json, &open, 1);
    json->open[json->depth].close = open == '{' ? '}' : ']';
    json->open[json->depth].lines = lines;
    json->open[json->depth].begun = false;
    json->depth++;
}

void export_json_begin(struct export_json *json, FILE *out, char open)
{
    *json = (struct export_json){.out = out, .buffer = malloc(BUFFER_MIN), .room = BUFFER_MIN};
    json->failed = !json->buffer;
    export_json_open(json, NULL, open, true);
}

void export_json_close(struct export_json *json)
{
    assert(json->depth);
    json->depth--;
    if (json->open[json->depth].lines && json->open[json->depth].begun)
        put(json, "\n", 1);
    put(json, &json->open[json->depth].close, 1);
}

void export_json_kept(struct export_json *json, const char *key, const json_t *value)
{
    if (json->failed)
        return;
    put_before(json, key);
    put_value(json, value);
}

void export_json_add(struct export_json *json, const char *key, json_t *value)
{
    export_json_kept(json, key, value);
    json_decref(value);
}

void export_json_text(struct export_json *json, const char *key, const char *clean)
{
    export_json_add(json, key, clean ? json_string(clean) : json_null());
}

void export_json_number(struct export_json *json, const char *key, int64_t value)
{
    export_json_add(json, key, json_integer(value));
}

bool export_json_end(struct export_json *json)
{
    while (json->depth)
        export_json_close(json);
    put(json, "\n", 1);
    export_json_free(json);
    return !json->failed;
}

void export_json_free(struct export_json *json)
{
    free(json->buffer);
    json->buffer = NULL;
}
