/* pcomp html: the profile of a data directory, or two compared, as a page. */
#include "reporters/annotate/annotate_json.h"
#include "reporters/annotate/listing.h"
#include "reporters/base/message.h"
#include "reporters/cmd/command.h"
#include "reporters/page/page_timeline.h"
#include "reporters/page/page_write.h"
#include "reporters/report/report_common.h"

#include <stdlib.h>

#define SOURCES_MAX   12
#define SOURCES_SHARE 0.01
#define SOURCES_LINES 3

/* Annotated source of the hottest functions. NULL where there is none: the page does without. */
static json_t *html_sources(const struct call_tree *tree, const char *dir, bool salvage)
{
    struct annotation *a = tree->how.stack_samples > 0 ? annotation_make(tree, dir, salvage) : NULL;
    size_t count = 0;
    uint32_t *list = a ? listing_choose(a, NULL, SOURCES_SHARE, SOURCES_MAX, &count) : NULL;
    json_t *json = count ? annotate_json(a, list, count, SOURCES_LINES) : NULL;
    free(list);
    annotation_free(a);
    return json;
}

static const char *path;
static struct load_options part = LOAD_OPTIONS;
static const struct option_spec specs[] = {
    {"--output", 'o', OPTION_TEXT, "FILE", "the file to write; - is standard output", &path, NULL},
    LOAD_OPTION_SPECS(part),
    {0},
};

static int html_run(const struct operands *operands)
{
    int status = STATUS_DONE;
    if (!path)
        return message_misuse("html: -o is missing (-o FILE, or -o - for standard output)");
    const char *dir = operand_directory(operands);
    struct page_subject subject = {.dirs = {NULL, dir}};
    struct call_tree *trees[2] = {NULL, NULL};
    if (operands->count == 2) {
        subject.dirs[0] = dir;
        subject.dirs[1] = operands->texts[1];
        subject.before = trees[0] = report_load("html", subject.dirs[0], &part, true, &status);
    }
    if (!status)
        subject.after = trees[1] = report_load("html", subject.dirs[1], &part, true, &status);
    if (!status && !subject.before) {
        subject.sources = html_sources(subject.after, dir, part.salvage);
        subject.timeline = page_timeline(dir, part.salvage);
        status = subject.timeline ? status : message_no_memory("html");
    }
    if (!status)
        status = page_write(&subject, path);
    json_decref(subject.sources);
    json_decref(subject.timeline);
    call_tree_free(trees[0]);
    call_tree_free(trees[1]);
    return status;
}

const struct command_usage cmd_html = {
    .command = "html",
    .summary = "a page of a profile, or of two compared, for browsers",
    .synopsis = "[OPTION...] [DIR [DIR2]] -o FILE",
    .purpose = "Writes the profile in DIR (" DEFAULT_DATA_DIR "), or its difference to DIR2, as a page for browsers.",
    .options = specs,
    .operands_max = 2,
    .operands = "a data directory, or two",
    .run = html_run,
};
