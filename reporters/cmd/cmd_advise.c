/* pcomp advise: what to leave out of instrumentation, and what that saves. */
#include "reporters/advise/advice_write.h"
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/cmd/command.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_head.h"

#include "compensation/numeric/delta.h"

#include <string.h>

enum { ADVISE_GCC = EMIT_CSV + 1, ADVISE_CLANG };

struct advise_options {
    const char *dir, *plain, *output;
    double min_saving; /* percent of the overhead */
    int names;         /* enum name_form */
    int format;
};

/* The compiler's file, to `path`. */
static int advise_compiler_file(const struct advise_options *options, const struct advice *advice,
                                const struct dwarf_functions *dwarf, const char *path)
{
    struct output_file file;
    if (!output_file_open(&file, path))
        return STATUS_BAD;
    bool good = options->format == ADVISE_CLANG ? advice_write_clang(file.stream, advice, dwarf)
                                                : advice_write_gcc(file.stream, advice);
    if (!output_file_close(&file, good))
        return STATUS_BAD;
    return good ? STATUS_DONE : message_no_memory("advise");
}

static int advise_tables(const struct advise_options *options, const struct advice *advice)
{
    struct emitter *emitter = emitter_open((enum emit_format)options->format, stdout, "pcomp-advise/1");
    if (!emitter)
        return message_no_memory("advise");
    report_head(emitter, advice->tree, options->dir, true);
    advice_emit(emitter, advice, (enum name_form)options->names, options->plain, options->output);
    report_notes(emitter, advice->tree);
    return emitter_close(emitter);
}

static int advise_write(const struct advise_options *options, const struct call_tree *tree,
                        const struct dwarf_functions *dwarf)
{
    struct advice advice;
    if (!advice_make(&advice, tree, dwarf, options->min_saving / 100))
        return message_no_memory("advise");
    bool tables = options->format != ADVISE_GCC && options->format != ADVISE_CLANG;
    int status = STATUS_DONE;
    if (!tables || options->output)
        status = advise_compiler_file(options, &advice, dwarf, options->output ? options->output : "-");
    if (tables && status == STATUS_DONE)
        status = advise_tables(options, &advice);
    advice_free(&advice);
    return status;
}

static int advise_load(const struct advise_options *options, const struct load_options *load)
{
    int status;
    char error[1024];
    struct dwarf_functions dwarf;
    if (options->plain && filter_is_instrumented(options->plain))
        return message_failure("%s: is instrumented (give the ordinary build, compiled with -g)", options->plain);
    if (options->plain && !dwarf_functions_read(&dwarf, options->plain, error, sizeof error))
        return message_failure("%s", error);
    struct call_tree *tree = report_load("advise", options->dir, load, true, &status);
    if (tree && tree->model == PCOMP_MODEL_NONE)
        status = message_failure("%s: model none: what measuring cost is not known (pcomp advise --model split)",
                                 options->dir);
    else if (tree)
        status = advise_write(options, tree, options->plain ? &dwarf : NULL);
    call_tree_free(tree);
    if (options->plain)
        dwarf_functions_free(&dwarf);
    return status;
}

static struct advise_options given = {.min_saving = 0.5};
static struct load_options part = LOAD_OPTIONS;
static const struct option_spec specs[] = {
    {"--plain", 0, OPTION_TEXT, "BINARY", "the ordinary build, with -g: what it has inlined everywhere", &given.plain,
     NULL},
    {"--min-saving", 0, OPTION_NUMBER, "PCT", "name functions from this share of the cost on (0.5)", &given.min_saving,
     NULL},
    {"--output", 'o', OPTION_TEXT, "FILE", "write the compiler's file: arguments for gcc, or the header for clang",
     &given.output, NULL},
    LOAD_OPTION_SPECS(part),
    {"--format", 0, OPTION_CHOICE, "NAME", "text (default), json, csv, or the compiler's file: gcc, clang",
     &given.format, EMIT_FORMATS "|gcc|clang"},
    {0},
};

static int advise_run(const struct operands *operands)
{
    given.dir = operand_directory(operands);
    given.names = part.names;
    part.names = NAMES_FULL; /* what the compilers' switches are compared with */
    return advise_load(&given, &part);
}

const struct command_usage cmd_advise = {
    .command = "advise",
    .summary = "what to leave out of instrumentation, as compiler arguments",
    .synopsis = "[OPTION...] [DIR]",
    .purpose = "Says which functions to leave out of instrumentation, as compiler arguments, and what that saves.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = advise_run,
};
