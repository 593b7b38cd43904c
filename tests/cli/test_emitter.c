/* One sequence of calls, three documents. */
#include "reporters/base/emitter.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct emit_column columns[] = {
    {"name", NULL, "name", EMIT_NAME, 0},
    {"time|raw", NULL, "raw", EMIT_TIME, 0},
    {"N", NULL, "calls", EMIT_COUNT, 0},
    {"sure", NULL, NULL, EMIT_FLAG, 0},
};

static void write_row(struct emitter *emitter, const char *name, double ns, uint64_t calls)
{
    emitter_row(emitter);
    emit_name(emitter, name);
    emit_time(emitter, ns);
    emit_count(emitter, calls);
    emit_flag(emitter, true);
    emitter_row_end(emitter);
}

/* The document, malloc'ed: two rows, the first with a row inside. */
static char *write_document(enum emit_format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct emitter *emitter = emitter_open(format, out, "test/1");
    emitter_field_real(emitter, "total|raw", 1.5);
    emitter_field_count(emitter, "total|calls", 3);
    emitter_field_text(emitter, "nothing", NULL);
    emitter_text(emitter, "A line.");
    emitter_table(emitter, "rows", columns, 4, true);
    write_row(emitter, "a, \"quoted\"", 1000, 1);
    emitter_nest(emitter, "children");
    write_row(emitter, "inside\033[0m", NAN, 2);
    emitter_nest(emitter, "children");
    emitter_nest_end(emitter);
    emitter_nest_end(emitter);
    write_row(emitter, "last", -5, UINT32_MAX);
    emitter_table_end(emitter);
    emitter_note(emitter, "take %s", "care");
    cr_expect(eq(int, emitter_close(emitter), 0));
    fclose(out);
    return text;
}

Test(emitter, json_is_valid_and_nested)
{
    char *text = write_document(EMIT_JSON);
    json_t *json = json_loads(text, 0, NULL), *rows = json_object_get(json, "rows");
    cr_assert(json != NULL);
    cr_expect(eq(str, (char *)json_string_value(json_object_get(json, "schema")), "test/1"));
    cr_expect(eq(dbl, json_number_value(json_object_get(json_object_get(json, "total"), "raw")), 1.5));
    cr_expect(eq(int, json_is_null(json_object_get(json, "nothing")), 1));
    cr_assert(eq(sz, json_array_size(rows), 2));
    json_t *first = json_array_get(rows, 0), *inside = json_array_get(json_object_get(first, "children"), 0);
    cr_expect(eq(str, (char *)json_string_value(json_object_get(first, "name")), "a, \"quoted\""));
    cr_expect(eq(dbl, json_number_value(json_object_get(json_object_get(first, "time"), "raw")), 1000));
    cr_expect(eq(str, (char *)json_string_value(json_object_get(inside, "name")), "inside\xef\xbf\xbd[0m"));
    cr_expect(eq(int, json_is_null(json_object_get(json_object_get(inside, "time"), "raw")), 1));
    cr_expect(eq(sz, json_array_size(json_object_get(inside, "children")), 0));
    cr_expect(eq(i64, json_integer_value(json_object_get(json_array_get(rows, 1), "N")), UINT32_MAX));
    cr_expect(eq(sz, json_array_size(json_object_get(json, "warnings")), 1));
    json_decref(json);
    free(text);
}

Test(emitter, a_table_can_be_the_end_of_an_object)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct emitter *emitter = emitter_open(EMIT_JSON, out, "test/1");
    emitter_field_count(emitter, "before", 1);
    emitter_field_count(emitter, "inside|count", 2);
    emitter_table(emitter, "inside|rows", columns, 4, true);
    write_row(emitter, "a", 1, 1);
    write_row(emitter, "b", 2, 2);
    emitter_table_end(emitter);
    emitter_table(emitter, "alone|rows", columns, 4, true);
    emitter_table_end(emitter);
    emitter_field_count(emitter, "after", 3);
    cr_expect(eq(int, emitter_close(emitter), 0));
    fclose(out);
    json_t *json = json_loads(text, 0, NULL), *inside = json_object_get(json, "inside");
    cr_assert(json != NULL);
    cr_expect(eq(i64, json_integer_value(json_object_get(inside, "count")), 2));
    cr_expect(eq(sz, json_array_size(json_object_get(inside, "rows")), 2));
    cr_expect(eq(int, json_is_array(json_object_get(json_object_get(json, "alone"), "rows")), 1));
    cr_expect(eq(i64, json_integer_value(json_object_get(json, "before")), 1));
    cr_expect(eq(i64, json_integer_value(json_object_get(json, "after")), 3));
    json_decref(json);
    free(text);
}

Test(emitter, csv_has_units_in_its_header_and_quotes_what_must_be)
{
    char *text = write_document(EMIT_CSV);
    cr_expect(eq(str, text,
                 "name,time_raw_ns,N,sure\n"
                 "\"a, \"\"quoted\"\"\",1000,1,true\n"
                 "inside\xef\xbf\xbd[0m,,2,true\n"
                 "last,-5,4294967295,true\n"));
    free(text);
}

Test(emitter, text_is_a_table_with_notes_last)
{
    char *text = write_document(EMIT_TEXT);
    cr_expect(eq(str, text,
                 "A line.\n"
                 "name              raw          calls\n"
                 "a, \"quoted\"  1.000 µs              1\n"
                 "inside\xef\xbf\xbd[0m          -              2\n"
                 "last            -5 ns  4,294,967,295\n"
                 "note: take care\n"));
    free(text);
}

Test(emitter, deep_nesting_needs_no_stack)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct emitter *emitter = emitter_open(EMIT_JSON, out, "test/1");
    emitter_table(emitter, "rows", columns, 4, true);
    for (int i = 0; i < 200000; i++) {
        write_row(emitter, "f", 1, 1);
        emitter_nest(emitter, "children");
    }
    for (int i = 0; i < 200000; i++)
        emitter_nest_end(emitter);
    emitter_table_end(emitter);
    cr_expect(eq(int, emitter_close(emitter), 0));
    fclose(out);
    size_t opened = 0, closed = 0;
    for (const char *p = text; *p; p++) {
        opened += *p == '{' || *p == '[';
        closed += *p == '}' || *p == ']';
    }
    cr_expect(eq(sz, opened, closed));
    free(text);
}
