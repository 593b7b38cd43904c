#include "reporters/report/report_brief.h"

#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_head.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS          30
#define NAME_COLUMNS  80
#define NOTE_COLUMNS  240
#define NOTES         5
#define SHARE_MIN     0.002
#define RESERVED_ROWS 1500 /* bytes of BRIEF_BYTES for notes */

/* Writes a line that fits; false: it did not. */
static bool brief_line(FILE *out, size_t *used, size_t max, const char *text)
{
    char *shown = locale_text(text);
    size_t size = shown ? strlen(shown) + 1 : 0;
    bool fits = shown && *used + size <= max;
    if (fits) {
        fprintf(out, "%s\n", shown);
        *used += size;
    }
    free(shown);
    return fits;
}

/* malloc'ed; NULL: out of memory. */
static char *brief_row(const struct call_tree *tree, const struct tree_function *function)
{
    char own[TEXT_NUMBER], half[TEXT_NUMBER], all[TEXT_NUMBER], calls[TEXT_CALLS], share[TEXT_NUMBER], place[300];
    char *clean = text_clean(function->name), *name = clean ? text_cut(clean, NAME_COLUMNS, "…") : NULL, *row = NULL;
    const char *location = report_location(function, place, sizeof place);
    bool below = report_is_below(&function->exclusive);
    double part = report_ratio(report_computing(&function->exclusive), report_whole(tree));
    if (name && asprintf(&row, "%s\t%s%s\t%s\t%s\t%s\t%s%s%s", below ? "-" : text_percent(share, part),
                         below ? "<" : text_time(own, function->exclusive.compensated), below ? "" : " ±",
                         text_uncertainty(half, function->exclusive.uncertainty),
                         text_time(all, function->inclusive.compensated),
                         text_count_known(calls, (double)function->calls, (double)report_calls_uncertainty(function)),
                         name, location ? "\t" : "", location ? location : "") < 0)
        row = NULL;
    free(name);
    free(clean);
    return row;
}

int report_brief(FILE *out, const struct call_tree *tree, const struct report_options *options)
{
    size_t count, used = 0, shown = 0;
    uint32_t *order = report_order(tree, options->sort, &count);
    char *sentence = report_sentence(tree), rest[80];
    if (!order || !sentence) {
        free(order);
        free(sentence);
        return message_no_memory("report");
    }
    uint64_t limit = options->limit_given && options->limit ? options->limit : ROWS;
    brief_line(out, &used, BRIEF_BYTES, sentence);
    brief_line(out, &used, BRIEF_BYTES, "share\town ± 95 %\tinclusive\tcalls\tfunction\tplace");
    for (; shown < count && shown < limit; shown++) {
        const struct tree_function *function = &tree->functions[order[shown]];
        double share = report_ratio(report_computing(&function->exclusive), report_whole(tree));
        if (!options->limit_given && !(share >= SHARE_MIN))
            break;
        char *row = brief_row(tree, function);
        bool fits = row && brief_line(out, &used, BRIEF_BYTES - RESERVED_ROWS, row);
        free(row);
        if (!fits)
            break;
    }
    if (shown < count) {
        snprintf(rest, sizeof rest, "... and %zu more functions", count - shown);
        brief_line(out, &used, BRIEF_BYTES, rest);
    }
    for (size_t i = 0; i < tree->warning_count && i < NOTES; i++) {
        char *clean = text_clean(tree->warnings[i]), *line = NULL;
        char *note = clean ? text_cut(clean, NOTE_COLUMNS, "…") : NULL;
        if (note && asprintf(&line, "note: %s", note) >= 0)
            brief_line(out, &used, BRIEF_BYTES, line);
        free(line);
        free(note);
        free(clean);
    }
    free(order);
    free(sentence);
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        return message_failure("output: %s (the result is not complete)", errno ? strerror(errno) : "write error");
    return STATUS_DONE;
}
