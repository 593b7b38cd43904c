/* pcomp annotate: the source of the hottest functions, with the computing of each line. */
#include "reporters/annotate/annotate_json.h"
#include "reporters/annotate/annotate_text.h"
#include "reporters/annotate/listing.h"
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/report/report_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHARE_MIN     0.01
#define FUNCTIONS     10
#define CONTEXT_LINES 2

struct annotate_options {
    const char *dir, *wanted; /* wanted: a function or a file; NULL the hottest */
    uint64_t limit;
    int format;
};

/* One operand is a directory, or a profile file, where there is one of that name. */
static void operands_read(struct annotate_options *options, const struct operands *operands)
{
    struct stat st;
    options->dir = DEFAULT_DATA_DIR;
    options->wanted = operands->count ? operands->texts[operands->count - 1] : NULL;
    if (operands->count == 2) {
        options->dir = operands->texts[0];
    } else if (operands->count == 1) {
        size_t length = strlen(options->wanted);
        bool profile = length > 6 && !strcmp(options->wanted + length - 6, ".pcomp");
        if (profile || (stat(options->wanted, &st) == 0 && S_ISDIR(st.st_mode))) {
            options->dir = options->wanted;
            options->wanted = NULL;
        }
    }
}

static int annotate_write(const struct annotation *a, const struct annotate_options *options)
{
    size_t count;
    size_t max = options->limit != UINT64_MAX ? (size_t)options->limit : options->wanted ? 0 : FUNCTIONS;
    uint32_t *list = listing_choose(a, options->wanted, SHARE_MIN, max, &count);
    int status = STATUS_DONE;
    if (!list)
        return message_no_memory("annotate");
    if (!count && options->wanted) {
        status = message_failure("%s: no function and no file of that name in %s (pcomp report %s lists functions)",
                                 options->wanted, options->dir, options->dir);
    } else if (options->format == 1) {
        json_t *json = annotate_json(a, list, count, CONTEXT_LINES);
        if (!json)
            status = message_no_memory("annotate");
        else if (json_dumpf(json, stdout, JSON_INDENT(1)) || putchar('\n') == EOF || fflush(stdout))
            status = message_failure("standard output: %s", strerror(errno));
        json_decref(json);
    } else {
        status = annotate_text(a, list, count, CONTEXT_LINES, stdout);
    }
    free(list);
    return status;
}

static void annotate_notes(const struct annotation *a)
{
    if (a->note)
        message_note("annotate: note: %s", a->note);
    if (!(a->samples > 0))
        message_note("annotate: note: no samples of the call stack%s%s: times are of functions, not of lines",
                     a->tree->how.no_samples ? ": " : "", a->tree->how.no_samples ? a->tree->how.no_samples : "");
}

static struct annotate_options given = {.limit = UINT64_MAX};
static struct load_options part = LOAD_OPTIONS;

static int annotate_tree(struct call_tree *tree, void *options)
{
    struct annotation *a = annotation_make(tree, given.dir, part.salvage);
    int status = a ? annotate_write(a, options) : STATUS_BAD;
    if (a && !status)
        annotate_notes(a);
    annotation_free(a);
    return status;
}

static const struct option_spec specs[] = {
    LIMIT_SPEC(&given.limit),
    SALVAGE_SPEC(&part.salvage),
    NAMES_SPEC(&part.names),
    {"--format", 0, OPTION_CHOICE, "NAME", "text (default) or json", &given.format, "text|json"},
    {0},
};

static int annotate_run(const struct operands *operands)
{
    operands_read(&given, operands);
    return report_with_tree("annotate", given.dir, &part, annotate_tree, &given);
}

const struct command_usage cmd_annotate = {
    .command = "annotate",
    .summary = "source lines with their computing, and the calls at each",
    .synopsis = "[OPTION...] [DIR] [FUNCTION|FILE]",
    .purpose = "Shows source lines with the computing of each, from samples, and the calls at each, hottest first.",
    .options = specs,
    .operands_max = 2,
    .operands = "a data directory, and the name of a function or of a source file",
    .run = annotate_run,
};
