/* Formats and columns of the emitter. */
#ifndef PCOMP_EMITTER_TYPES_H
#define PCOMP_EMITTER_TYPES_H

enum emit_format { EMIT_TEXT, EMIT_JSON, EMIT_CSV };
#define EMIT_FORMATS "text|json|csv" /* in this order, for options */
#define EMIT_FORMAT_SPEC(value)                                                                                        \
    {                                                                                                                  \
        "--format", 0, OPTION_CHOICE, "NAME", "text (default), json or csv", value, EMIT_FORMATS                       \
    }

enum emit_kind { EMIT_NAME, EMIT_TIME, EMIT_COUNT, EMIT_REAL, EMIT_SHARE, EMIT_FLAG };

struct emit_column {
    const char *key;   /* "raw|inclusive": nested in JSON, raw_inclusive_ns in CSV; NULL: text only */
    const char *group; /* text: heading over neighbours of the same group; NULL none */
    const char *title; /* text; NULL: not in text */
    enum emit_kind kind;
    unsigned drop; /* where the terminal is narrow, the greatest go first; 0 stays */
};

#endif
