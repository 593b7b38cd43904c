#include "reporters/launch/record_environment.h"

#include "profiler/format/option_rules.h"
#include "reporters/base/library_path.h"
#include "reporters/base/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OPTIONS_MAX 4000 /* what the library reads of PCOMP_OPTIONS */

/* --- The environment --------------------------------------------------------------------------------------------- */

static void write_word(FILE *out, const char *word)
{
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static const char *separator(FILE *out)
{
    return ftell(out) > (long)strlen("PCOMP_OPTIONS=") ? " " : "";
}

static void write_option(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(out, "%s%s", separator(out), name);
    if (value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=@")] || !*value)
        write_word(out, value);
    else
        fprintf(out, " %s", value);
}

static void write_flag(FILE *out, const char *name, bool on)
{
    if (on)
        fprintf(out, "%s%s", separator(out), name);
}

static void write_path(FILE *out, const char *name, const char *path)
{
    char *absolute = path ? realpath(path, NULL) : NULL;
    write_option(out, name, absolute);
    free(absolute);
}

static void write_list(FILE *out, const char *name, const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        write_option(out, name, list->texts[i]);
}

/* The choice with that index in "one|two|three"; negative: none was made. */
static void write_choice(FILE *out, const char *name, const char *choices, int choice)
{
    while (choice > 0 && *choices)
        choice -= *choices++ == '|';
    if (choice == 0)
        fprintf(out, "%s%s %.*s", separator(out), name, (int)strcspn(choices, "|"), choices);
}

#define WRITE_FLAG(o, field, name, help)                       write_flag(out, name, (o)->field);
#define WRITE_TEXT(o, field, name, argument, help)             write_option(out, name, (o)->field);
#define WRITE_PATH(o, field, name, argument, help)             write_path(out, name, (o)->field);
#define WRITE_LIST(o, field, name, argument, help)             write_list(out, name, &(o)->field);
#define WRITE_CHOICE(o, field, name, argument, help, choices_) write_choice(out, name, choices_, (o)->field);

/* "PCOMP_OPTIONS=..." as the library splits it; NULL: out of memory. */
static char *options_text(const struct record_options *options)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("PCOMP_OPTIONS=", out);
    fflush(out);
    RECORD_METHOD_OPTIONS(WRITE_FLAG, WRITE_TEXT, WRITE_PATH, WRITE_LIST, WRITE_CHOICE, options)
    RECORD_MORE_OPTIONS(WRITE_FLAG, WRITE_TEXT, WRITE_PATH, WRITE_LIST, WRITE_CHOICE, options)
    return fclose(out) == 0 ? text : (free(text), NULL);
}

void record_environment_free(struct record_environment *environment)
{
    free(environment->data);
    free(environment->options);
    free(environment->run_id);
    free(environment->preload);
}

bool record_environment_make(struct record_environment *environment, const struct record_options *options,
                             const struct record_directory *directory, const char *libraries)
{
    const char *old = getenv("LD_PRELOAD");
    *environment = (struct record_environment){.options = options_text(options)};
    if (asprintf(&environment->data, "PCOMP_DATA=%s", directory->path) < 0 ||
        asprintf(&environment->run_id, "PCOMP_RUN_ID=%s", directory->run_id) < 0 ||
        asprintf(&environment->preload, "LD_PRELOAD=%s%s%s", libraries, old && *old ? ":" : "", old ? old : "") < 0 ||
        !environment->options) {
        message_no_memory("record");
        return false;
    }
    if (strlen(environment->options) > OPTIONS_MAX) {
        message_failure("record: the options are too long together: %zu letters, at most %d (use fewer patterns)",
                        strlen(environment->options), OPTIONS_MAX);
        return false;
    }
    return true;
}

/* --- What is checked before anything is touched ------------------------------------------------------------------ */

int record_check_calibration(const char *path)
{
    char line[64] = "";
    struct stat st;
    if (!path)
        return 0;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return message_failure("%s: is no file (pcomp calibrate -o FILE writes a calibration file)", path);
    FILE *file = fopen(path, "re");
    if (!file)
        return message_failure("%s: %s (pcomp calibrate -o FILE writes a calibration file)", path, strerror(errno));
    bool good = fgets(line, sizeof line, file) && !strcmp(line, "pcomp-calibration 1\n");
    fclose(file);
    if (!good)
        return message_failure("%s: is not a calibration file (pcomp calibrate -o FILE writes one)", path);
    return 0;
}

/* SIZE with K, M or G; 0: it is none. */
static unsigned long long size_of(const char *text, const char **end)
{
    char *rest;
    errno = 0;
    unsigned long long size = strtoull(text, &rest, 10);
    unsigned shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
    *end = rest + (shift != 0);
    return *text < '0' || *text > '9' || errno || size > UINT64_MAX >> shift ? 0 : size << shift;
}

int record_check_budget(const struct record_options *options)
{
    const char *budget = options->budget, *memory = options->budget_memory;
    if (budget) {
        size_t digits = strspn(budget, "0123456789.");
        char *end;
        double percent = strtod(budget, &end);
        if (!digits || end != budget + digits || strcmp(end + (*end == '%'), "") != 0 ||
            !(percent > 0 && percent <= 100))
            return message_misuse("record: --budget %s: expected a percentage above 0 and up to 100 (as in 5%%)",
                                  budget);
    }
    const char *end = "";
    if (memory && (size_of(memory, &end) < PCOMP_MIN_MEMORY_BUDGET || *end))
        return message_misuse("record: --budget-memory %s: expected a size of at least 1M (as in 100M)", memory);
    return 0;
}

/* --- Which options go together ----------------------------------------------------------------------------------- */

static bool choice_is(const char *choices, int choice, const char *value)
{
    for (; choice > 0 && *choices; choices++)
        choice -= *choices == '|';
    size_t length = strcspn(choices, "|");
    return strlen(value) == length && !strncmp(choices, value, length);
}

#define GIVEN_FLAG(o, field, name, help)                                                                               \
    if (!strcmp(option, name))                                                                                         \
        return (o)->field;
#define GIVEN_TEXT(o, field, name, argument, help)                                                                     \
    if (!strcmp(option, name))                                                                                         \
        return (o)->field && (!value || !strcmp((o)->field, value));
#define GIVEN_LIST(o, field, name, argument, help)                                                                     \
    if (!strcmp(option, name))                                                                                         \
        return (o)->field.count != 0;
#define GIVEN_CHOICE(o, field, name, argument, help, choices)                                                          \
    if (!strcmp(option, name))                                                                                         \
        return (o)->field >= 0 && (!value || choice_is(choices, (o)->field, value));

static bool option_is_given(const void *options, const char *option, const char *value)
{
    const struct record_options *o = options;
    RECORD_METHOD_OPTIONS(GIVEN_FLAG, GIVEN_TEXT, GIVEN_TEXT, GIVEN_LIST, GIVEN_CHOICE, o)
    RECORD_MORE_OPTIONS(GIVEN_FLAG, GIVEN_TEXT, GIVEN_TEXT, GIVEN_LIST, GIVEN_CHOICE, o)
    return false;
}

int record_check_rules(const struct record_options *options)
{
    const struct option_rule *rule = option_rule_broken(option_is_given, options);
    if (rule && rule->needs)
        return message_misuse("record: %s: %s (add %s)", rule->option, rule->why, rule->other);
    if (rule)
        return message_misuse("record: %s%s%s %s%s%s: one or the other (%s)", rule->option, rule->value ? " " : "",
                              rule->value ? rule->value : "", rule->other, rule->other_value ? " " : "",
                              rule->other_value ? rule->other_value : "", rule->why);
    return 0;
}

int record_check_trace(const struct record_options *options)
{
    const char *end = "", *limit = options->trace_limit, *rate = options->budget_trace;
    unsigned long long bytes = rate ? size_of(rate, &end) : 0;
    if (rate && (bytes < PCOMP_MIN_TRACE_RATE || bytes >= PCOMP_MAX_TRACE_RATE || *end))
        return message_misuse("record: --budget-trace %s: expected at least 64K, bytes a second (as in 20M)", rate);
    if (limit && (size_of(limit, &end) < PCOMP_MIN_TRACE_LIMIT || (*end && strcmp(end, ":ring") != 0)))
        return message_misuse("record: --trace-limit %s: expected a size of at least 64K (as in 100M or 1G:ring)",
                              limit);
    return 0;
}

bool record_preload_check(const char *library)
{
    if (strpbrk(library, " :"))
        message_failure("%s: LD_PRELOAD cannot name a path with a space or a colon (install pcomp elsewhere)", library);
    return !strpbrk(library, " :");
}

char *record_libraries_find(void)
{
    char *library = library_path_find(), *mpi = mpi_library_path_find(), *both = NULL;
    if (!library)
        message_failure("libpcomp.so: is not where pcomp was installed (install pcomp again)");
    else if (record_preload_check(library) && (!mpi || record_preload_check(mpi)) &&
             asprintf(&both, "%s%s%s", library, mpi ? ":" : "", mpi ? mpi : "") < 0) {
        both = NULL;
        message_no_memory("record");
    }
    free(library);
    free(mpi);
    return both;
}
