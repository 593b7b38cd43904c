#include "reporters/advise/advice_write.h"

#include "reporters/advise/gcc_exclusion.h"
#include "reporters/base/text.h"
#include "reporters/filter/module_sites.h"
#include "reporters/report/report_common.h"
#include "reporters/symbols/demangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_ARGUMENTS 600 /* bytes that are still pasted rather than read from a file */

static const char *const why_names[] = {[ADVICE_ALONG] = "along",
                                        [ADVICE_INLINED] = "inlined",
                                        [ADVICE_PART] = "part",
                                        [ADVICE_GONE] = "gone",
                                        [ADVICE_TINY] = "tiny"};

static const char *list_option(const struct advice_item *item)
{
    return item->is_file ? GCC_FILE_LIST : GCC_FUNCTION_LIST;
}

/* --- gcc ---------------------------------------------------------------------------------------------------------- */

/* -f...-list=ITEM, quoted by `quote`; malloc'ed, NULL: out of memory. */
static char *argument_of(const struct advice_item *item, char *(*quote)(const char *))
{
    char *text = gcc_list_text(item->text), *whole = NULL, *word = NULL;
    if (text && asprintf(&whole, "%s%s", list_option(item), text) < 0)
        whole = NULL;
    if (whole)
        word = quote(whole);
    free(whole);
    free(text);
    return word;
}

bool advice_write_gcc(FILE *out, const struct advice *advice)
{
    for (size_t i = 0; i < advice->item_count; i++) {
        char *word = argument_of(advice->items[i], response_word);
        if (!word)
            return false;
        fprintf(out, "%s\n", word);
        free(word);
    }
    return true;
}

/* All items in one argument a list, for a shell; malloc'ed, NULL: out of memory. */
static char *command_line(const struct advice *advice)
{
    char *line = strdup("");
    for (size_t i = 0; i < advice->item_count && line; i++) {
        const struct advice_item *item = advice->items[i];
        bool first = !i || advice->items[i - 1]->is_file != item->is_file;
        char *text = gcc_list_text(item->text), *word = text ? shell_word(text) : NULL, *longer = NULL;
        if (!word ||
            asprintf(&longer, "%s%s%s%s", line, first ? (i ? " " : "") : ",", first ? list_option(item) : "", word) < 0)
            longer = NULL;
        free(text);
        free(word);
        free(line);
        line = longer;
    }
    return line;
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* "a; b; c and 7 more" */
static void others_text(const struct advice_row *row, char *buffer, size_t size)
{
    size_t shown = 0;
    const char *end = row->also;
    for (; shown < 3 && *end; shown++)
        end += strcspn(end + (shown ? 1 : 0), ";") + (shown ? 1 : 0);
    int length = (int)(end - row->also) < 200 ? (int)(end - row->also) : 200;
    if (row->also_count > shown)
        snprintf(buffer, size, "also takes %.*s and %zu more", length, row->also, row->also_count - shown);
    else
        snprintf(buffer, size, "also takes %.*s", length, row->also);
}

/* The tree has the names that compilers compare; NULL where `names` gives no other. */
static char *shown_name(const struct tree_function *function, enum name_form names)
{
    return names == NAMES_FULL ? NULL : demangle(function->linkage_name, names);
}

static void emit_row(struct emitter *emitter, const struct advice_row *row, enum name_form names)
{
    const struct tree_function *function = row->function;
    char number[TEXT_NUMBER], also[300], *shown = shown_name(function, names);
    const char *name = shown ? shown : function->name;
    emitter_row(emitter);
    emit_name(emitter, name);
    report_emit_source(emitter, function);
    emit_name(emitter, why_names[row->why]);
    emit_count(emitter, function->calls);
    emit_time(emitter, row->a_call);
    if (row->a_call < 0)
        emit_shown(emitter, "! %s", text_time(number, row->a_call));
    emit_time(emitter, row->saving);
    emit_share(emitter, row->share);
    emit_real(emitter, row->dilation);
    emit_shown(emitter, "%s", text_real(number, row->dilation));
    emit_name(emitter, row->item->is_file ? "file" : "function");
    emit_name(emitter, row->item->text);
    emit_name(emitter, row->also);
    emit_name(emitter, name);
    if (row->also) {
        others_text(row, also, sizeof also);
        emit_remark(emitter, also);
    }
    emitter_row_end(emitter);
    free(shown);
}

static void emit_rows(struct emitter *emitter, const char *key, const struct advice *advice, enum name_form names,
                      size_t from, size_t to)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},           {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},          {"why", NULL, "why", EMIT_NAME, 0},
        {"N", NULL, "calls", EMIT_COUNT, 0},          {"exclusive_a_call", NULL, "own a call", EMIT_TIME, 3},
        {"saving", "saving", "time", EMIT_TIME, 0},   {"share", "saving", "share", EMIT_SHARE, 2},
        {"dilation", NULL, "dilation", EMIT_REAL, 1}, {"list", NULL, NULL, EMIT_NAME, 0},
        {"item", NULL, "item", EMIT_NAME, 4},         {"also", NULL, NULL, EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    emitter_table(emitter, key, columns, sizeof columns / sizeof *columns, from == 0);
    for (size_t i = from; i < to; i++)
        emit_row(emitter, &advice->rows[i], names);
    emitter_table_end(emitter);
}

static void emit_kept(struct emitter *emitter, const struct advice *advice, enum name_form names)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},         {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},        {"N", NULL, "calls", EMIT_COUNT, 0},
        {"saving", "saving", "time", EMIT_TIME, 0}, {"share", "saving", "share", EMIT_SHARE, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},     {"reason", NULL, "reason", EMIT_NAME, 0},
    };
    if (advice->kept_count) {
        emitter_text(emitter, "%s", "");
        emitter_text(emitter, "Not left out, though its calls cost this much:");
    } else if (emitter_is(emitter, EMIT_TEXT))
        return;
    emitter_table(emitter, "kept", columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < advice->kept_count; i++) {
        const struct advice_kept *kept = &advice->kept[i];
        char *shown = shown_name(kept->function, names);
        const char *name = shown ? shown : kept->function->name;
        emitter_row(emitter);
        emit_name(emitter, name);
        report_emit_source(emitter, kept->function);
        emit_count(emitter, kept->function->calls);
        emit_time(emitter, kept->saving);
        emit_share(emitter, kept->share);
        emit_name(emitter, name);
        emit_name(emitter, kept->reason);
        emitter_row_end(emitter);
        free(shown);
    }
    emitter_table_end(emitter);
}

/* Whether the functions that are left out have sleds: no compiler's argument removes these, and they need not go. */
static bool has_sleds(const struct advice *advice)
{
    const char *module = advice->row_count ? advice->rows[0].function->module : NULL;
    return module && module_sites_mapped(module);
}

/* Sleds are turned off at the start of the next run. */
static void emit_skips(struct emitter *emitter, const struct advice *advice)
{
    char *line = strdup("");
    for (size_t i = 0; i < advice->reason_count && line; i++) {
        char *word = shell_word(advice->rows[i].function->name), *longer = NULL;
        if (!word || asprintf(&longer, "%s --skip %s", line, word) < 0)
            longer = NULL;
        free(word);
        free(line);
        line = longer;
    }
    emitter_text(emitter, "%s", "");
    emitter_text(emitter, "The program has sleds, and need not be built again:");
    emitter_text(emitter, "pcomp record%s", line ? line : "");
    free(line);
}

static void emit_arguments(struct emitter *emitter, const struct advice *advice, const char *written)
{
    static const struct emit_column columns[] = {{"argument", NULL, NULL, EMIT_NAME, 0}};
    if (!emitter_is(emitter, EMIT_TEXT)) {
        emitter_table(emitter, "arguments", columns, 1, false);
        for (size_t i = 0; i < advice->item_count; i++) {
            char *word = argument_of(advice->items[i], strdup);
            emitter_row(emitter);
            emit_name(emitter, word);
            emitter_row_end(emitter);
            free(word);
        }
        emitter_table_end(emitter);
        return;
    }
    if (!written && has_sleds(advice)) {
        emit_skips(emitter, advice);
        return;
    }
    char *line = command_line(advice);
    emitter_text(emitter, "%s", "");
    if (written)
        emitter_text(emitter, "For gcc, besides -finstrument-functions: @%s", written);
    else if (line && strlen(line) <= SHORT_ARGUMENTS) {
        emitter_text(emitter, "For gcc, besides -finstrument-functions:");
        emitter_text(emitter, "%s", line);
    } else
        emitter_text(emitter, "For gcc, besides -finstrument-functions: @FILE, which -o FILE writes (%zu arguments)",
                     advice->item_count);
    free(line);
}

static void emit_costs(struct emitter *emitter, const struct advice *advice)
{
    const struct call_costs *costs = &advice->costs;
    bool counts = costs->counted > 0, sites = costs->site > 0, samples = costs->samples > 0;
    char whole[TEXT_NUMBER], timed[TEXT_NUMBER], counted[TEXT_NUMBER], site[TEXT_NUMBER], sampling[TEXT_NUMBER];
    emitter_text(emitter, "Measuring cost %s, %s a%s call%s%s%s%s%s%s.", text_time(whole, advice->overhead),
                 text_time(timed, costs->timed), counts ? " timed" : "", counts ? ", a counted one " : "",
                 counts ? text_time(counted, costs->counted) : "", sites ? ", any call by its site " : "",
                 sites ? text_time(site, costs->site) : "", samples ? "; samples and switching took " : "",
                 samples ? text_time(sampling, costs->samples) : "");
}

static void emit_sums(struct emitter *emitter, const struct advice *advice, const char *plain)
{
    const struct tree_totals *total = &advice->tree->total_all_threads;
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];
    double uncertainty = advice->overhead > 0 ? total->uncertainty * advice->saving / advice->overhead : NAN;
    emitter_field_text(emitter, "plain", plain);
    emitter_field_real(emitter, "overhead", advice->overhead);
    emitter_field_real(emitter, "overhead_a_call", advice->costs.timed);
    emitter_field_real(emitter, "overhead_of_samples", advice->costs.samples);
    emitter_field_real(emitter, "saving", advice->saving);
    emitter_field_real(emitter, "saving_uncertainty", uncertainty);
    emitter_field_real(emitter, "dilation_now", advice->dilation_now);
    emitter_field_real(emitter, "dilation_then", advice->dilation_then);
    emitter_field_real(emitter, "on_cpu", advice->on_cpu);
    if (advice->on_cpu < 0.98)
        emitter_text(emitter, "The program had a processor %s of its time; what follows is about that time alone.",
                     text_percent(a, advice->on_cpu));
    emit_costs(emitter, advice);
    bool dilated = !isnan(advice->dilation_then) && !isnan(advice->dilation_now);
    if (advice->row_count)
        emitter_text(emitter, "Leaving out %zu function%s saves %s ± %s of it%s%s%s%s.", advice->row_count,
                     advice->row_count == 1 ? "" : "s", text_time(a, advice->saving), text_uncertainty(b, uncertainty),
                     dilated ? ": dilation "
                             : " (the dilation is not known: the compensated time is below its resolution)",
                     dilated ? text_real(c, advice->dilation_then) : "", dilated ? " instead of " : "",
                     dilated ? text_real(d, advice->dilation_now) : "");
    else
        emitter_text(emitter, "There is no function that would be worth leaving out.");
    emitter_text(emitter, "%s", "");
}

static void emit_legend(struct emitter *emitter, const struct advice *advice)
{
    static const char *const texts[] = {
        [ADVICE_ALONG] = NULL,
        [ADVICE_INLINED] = "inlined  the ordinary build has inlined it everywhere: it is part of its callers there",
        [ADVICE_PART] = "part     inlined everywhere but for a rarely run rest",
        [ADVICE_GONE] = "gone     the ordinary build has no code of it",
        [ADVICE_TINY] = "tiny     a call of it does less than its measurement costs",
    };
    emitter_text(emitter, "%s", "");
    for (int why = ADVICE_INLINED; why <= ADVICE_TINY; why++)
        for (size_t i = 0; i < advice->reason_count; i++)
            if ((int)advice->rows[i].why == why) {
                emitter_text(emitter, "%s", texts[why]);
                break;
            }
    for (size_t i = 0; i < advice->reason_count; i++)
        if (advice->rows[i].a_call < 0) {
            emitter_text(emitter,
                         "!        below zero: so little is left of it that the correction took too much away");
            break;
        }
}

void advice_emit(struct emitter *emitter, const struct advice *advice, enum name_form names, const char *plain,
                 const char *written)
{
    emit_sums(emitter, advice, plain);
    if (advice->reason_count || !emitter_is(emitter, EMIT_TEXT))
        emit_rows(emitter, "functions", advice, names, 0, advice->reason_count);
    if (advice->reason_count)
        emit_legend(emitter, advice);
    if (advice->row_count > advice->reason_count) {
        emitter_text(emitter, "%s", "");
        emitter_text(emitter, "Taken along, because their names or files contain the items of others:");
    }
    if (advice->row_count > advice->reason_count || emitter_is(emitter, EMIT_JSON))
        emit_rows(emitter, "along", advice, names, advice->reason_count, advice->row_count);
    emit_kept(emitter, advice, names);
    if (advice->item_count || !emitter_is(emitter, EMIT_TEXT))
        emit_arguments(emitter, advice, written);
    if (advice->unknown_count) {
        char percent[TEXT_NUMBER];
        emitter_note(emitter, "%zu function%s of the profile, with %s of the cost, %s not in %s: %s%s",
                     advice->unknown_count, advice->unknown_count == 1 ? "" : "s",
                     text_percent(percent, advice->unknown_saving / advice->overhead),
                     advice->unknown_count == 1 ? "is" : "are", plain, advice->unknown_example->name,
                     advice->unknown_count == 1 ? "" : ", ...");
    }
}
