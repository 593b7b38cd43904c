/* pcomp timeline: the executions on one time axis. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/report/report_common.h"
#include "reporters/timeline/timeline_picture.h"
#include "reporters/trace/trace_executions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_MIN = 400, WIDTH_MAX = 10000, ROWS_MAX = 400 };

struct timeline_request {
    const char *dir, *path, *from, *to;
    uint64_t width;
    bool salvage, png;
};

static void warn_names(void *context, const char *text)
{
    (void)context;
    message_note("note: %s", text);
}

static int draw_file(const struct timeline_picture *picture, const struct timeline_request *request)
{
    struct output_file file;
    char error[256] = "out of memory";
    if (!output_file_open(&file, request->path))
        return STATUS_BAD;
    struct canvas *canvas = request->png
                                ? canvas_png_open(file.stream, picture->width, picture->height, error, sizeof error)
                                : canvas_svg_open(file.stream, picture->width, picture->height);
    bool good = canvas && timeline_draw(picture, canvas);
    if (canvas)
        good &= canvas->operations->close(canvas);
    if (!output_file_close(&file, good))
        return STATUS_BAD;
    return good ? STATUS_DONE : message_failure("timeline: %s: %s", request->path, error);
}

/* What is to be seen, in ns from the beginning of the executions. */
static int choose_view(const struct timeline_request *request, struct timeline_picture *picture)
{
    double longest = 0;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        longest = fmax(longest, picture->panels[i].span);
    picture->view.from = 0;
    picture->view.to = longest > 0 ? longest : 1;
    if (request->from && !text_time_read(request->from, &picture->view.from))
        return message_misuse("timeline: --from %s: is no time (give one like 1.5ms; without a unit it is seconds)",
                              request->from);
    if (request->to && !text_time_read(request->to, &picture->view.to))
        return message_misuse("timeline: --to %s: is no time (give one like 1.5ms; without a unit it is seconds)",
                              request->to);
    if (picture->view.to <= picture->view.from || picture->view.from >= longest) {
        char from[TEXT_NUMBER], to[TEXT_NUMBER], all[TEXT_NUMBER];
        return message_misuse("timeline: from %s to %s: nothing lies there (the execution lasts %s)",
                              text_time(from, picture->view.from), text_time(to, picture->view.to),
                              text_time(all, longest));
    }
    return -1;
}

static int make_picture(const struct timeline_request *request, struct trace_executions *executions,
                        struct trace_functions *functions)
{
    struct timeline_panel panels[TRACE_EXECUTIONS_MAX] = {{0}};
    uint64_t first[TRACE_EXECUTIONS_MAX];
    struct timeline_picture picture = {.panels = panels, .functions = functions};
    uint32_t process[TRACE_EXECUTIONS_MAX];
    char error[1024];
    for (uint32_t i = 0; i < executions->count; i++) {
        uint64_t last;
        struct trace_directory *traces = &executions->list[i].traces;
        panels[i] = (struct timeline_panel){.title = executions->list[i].title, .traces = traces};
        process[i] = trace_functions_add(functions, traces);
        if (process[i] == UINT32_MAX)
            return message_no_memory("timeline");
        if (!trace_functions_gather(functions, process[i], traces, &first[i], &last, error, sizeof error))
            return message_failure("timeline: %s", error);
        panels[i].span = (double)(last - first[i]) * traces->tick_ns;
    }
    picture.panel_count = executions->count;
    int status = choose_view(request, &picture);
    picture.view.columns = timeline_columns((unsigned)request->width, panels, picture.panel_count);
    picture.view.rows_max = ROWS_MAX;
    for (uint32_t i = 0; i < executions->count && status < 0; i++)
        if (!timeline_condense(&executions->list[i].traces, functions, process[i], first[i], &picture.view,
                               &panels[i].rows, error, sizeof error))
            status = message_failure("timeline: %s", error);
    if (status < 0 && (!trace_functions_resolve(functions, warn_names, NULL) ||
                       !timeline_arrange(&picture, (unsigned)request->width)))
        status = message_no_memory("timeline");
    if (status < 0) {
        char title[300], *command = trace_functions_command(functions, process[0]);
        snprintf(title, sizeof title, "%s%s%s", command ? command : "", command ? ": " : "", request->dir);
        picture.title = title;
        status = draw_file(&picture, request);
        free(command);
    }
    for (uint32_t i = 0; i < executions->count; i++)
        timeline_rows_free(&panels[i].rows);
    return status;
}

static int timeline_make(const struct timeline_request *request)
{
    struct trace_executions executions;
    char error[1024];
    if (!trace_executions_open(request->dir, request->salvage, &executions, error, sizeof error))
        return message_failure("timeline: %s", error);
    trace_executions_note(&executions, "timeline");
    struct trace_functions *functions = trace_functions_open();
    int status = functions ? make_picture(request, &executions, functions) : message_no_memory("timeline");
    trace_functions_close(functions);
    trace_executions_close(&executions);
    return status;
}

static struct timeline_request given = {.width = 1200};
static const struct option_spec specs[] = {
    {"--output", 'o', OPTION_TEXT, "FILE", "the picture to write: its name ends in .svg or .png", &given.path, NULL},
    {"--from", 0, OPTION_TEXT, "TIME", "show what lies behind it: 1.5ms; without a unit, seconds", &given.from, NULL},
    {"--to", 0, OPTION_TEXT, "TIME", "show what lies before it", &given.to, NULL},
    {"--width", 0, OPTION_COUNT, "PIXELS", "of the picture (1200)", &given.width, NULL},
    SALVAGE_SPEC(&given.salvage),
    {0},
};

static int timeline_run(const struct operands *operands)
{
    if (!given.path)
        return message_misuse("timeline: -o is missing (-o FILE.svg, or -o FILE.png)");
    size_t length = strlen(given.path);
    given.png = length >= 4 && !strcmp(given.path + length - 4, ".png");
    if (!given.png && (length < 4 || strcmp(given.path + length - 4, ".svg") != 0))
        return message_misuse("timeline: -o %s: what format? (let the name end in .svg or .png)", given.path);
    if (given.width < WIDTH_MIN || given.width > WIDTH_MAX)
        return message_misuse("timeline: --width %llu: too narrow or too wide (from %d to %d pixels)",
                              (unsigned long long)given.width, WIDTH_MIN, WIDTH_MAX);
    given.dir = operands->texts[0];
    return timeline_make(&given);
}

const struct command_usage cmd_timeline = {
    .command = "timeline",
    .summary = "draw the executions of a trace on one time axis",
    .synopsis = "DIR -o FILE.svg|FILE.png [--from TIME] [--to TIME] [--width PIXELS]",
    .purpose = "Draws the executions in DIR on one time axis: measured and, after pcomp replay, approximated.",
    .options = specs,
    .operands_min = 1,
    OPERAND_DIRECTORY,
    .run = timeline_run,
};
