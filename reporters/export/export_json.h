/* JSON that is written while it is made: what is open is written by hand, each value by jansson. Memory holds a value,
 * not the document. */
#ifndef PCOMP_EXPORT_JSON_H
#define PCOMP_EXPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPORT_JSON_DEPTH = 16 };

struct export_json {
    FILE *out;
    char *buffer; /* of one value */
    size_t room;
    unsigned depth;
    struct {
        char close;
        bool lines, begun;
    } open[EXPORT_JSON_DEPTH];
    uint64_t bytes;
    bool failed; /* out of memory; nothing more is written */
};

/* Opens the document's object or array ('{' or '['). */
void export_json_begin(struct export_json *json, FILE *out, char open);

/* In an object every value has a key, in an array none (NULL). An array or object that opens with `lines` has a line
 * for each of its values. */
void export_json_open(struct export_json *json, const char *key, char open, bool lines);
void export_json_close(struct export_json *json);

/* Each takes the value, NULL: out of memory; _kept leaves it to the caller. */
void export_json_add(struct export_json *json, const char *key, json_t *value);
void export_json_kept(struct export_json *json, const char *key, const json_t *value);
void export_json_text(struct export_json *json, const char *key, const char *clean);
void export_json_number(struct export_json *json, const char *key, int64_t value);

/* Closes what is open, and frees; false: out of memory. */
bool export_json_end(struct export_json *json);

/* Frees where the document is given up; also of one that never began (all zero), or ended. */
void export_json_free(struct export_json *json);

#endif
