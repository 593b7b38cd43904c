#include "reporters/verify/perf_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct script_sample {
    struct perf_frame frames[PERF_FRAMES_MAX];
    char *lines[PERF_FRAMES_MAX]; /* with the modules; kept and grown from sample to sample */
    size_t sizes[PERF_FRAMES_MAX];
    size_t count;
};

/* Of "MODULE+0xOFFSET", as newer ones write; the address is then that of the process. */
static void take_offset(struct perf_frame *frame, char *module)
{
    char *plus = strrchr(module, '+'), *end;
    if (!plus || strncmp(plus, "+0x", 3) != 0 || !isxdigit((unsigned char)plus[3]))
        return;
    uint64_t offset = strtoull(plus + 3, &end, 16);
    if (*end)
        return;
    frame->address = offset;
    *plus = 0;
}

/* "<white space>ADDRESS (MODULE)"; false for anything else. */
static bool frame_of_line(char *line, struct perf_frame *frame)
{
    char *end, *last = strrchr(line, ')');
    if (!isspace((unsigned char)*line) || !isxdigit((unsigned char)line[strspn(line, " \t")]))
        return false;
    frame->address = strtoull(line, &end, 16);
    if (strncmp(end, " (", 2) != 0 || !last || last < end + 2)
        return false;
    *last = 0;
    frame->module = end + 2;
    take_offset(frame, end + 2);
    return true;
}

static void sample_end(struct script_sample *sample, perf_sample_function *on_sample, void *context)
{
    if (sample->count)
        on_sample(context, sample->frames, sample->count);
    sample->count = 0;
}

bool perf_script_read(FILE *in, perf_sample_function *on_sample, void *context)
{
    struct script_sample sample = {.count = 0};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, in)) >= 0) {
        bool empty = length == 0 || line[strspn(line, " \t\n")] == 0;
        size_t at = sample.count;
        if (empty)
            sample_end(&sample, on_sample, context);
        else if (at < PERF_FRAMES_MAX && frame_of_line(line, &sample.frames[at])) {
            char *kept = sample.lines[at]; /* the line stays with its frame, the old one is read into next */
            size_t room = sample.sizes[at];
            sample.lines[at] = line;
            sample.sizes[at] = size;
            sample.count++;
            line = kept;
            size = room;
        }
    }
    bool good = feof(in) && !ferror(in);
    if (good)
        sample_end(&sample, on_sample, context);
    for (size_t i = 0; i < PERF_FRAMES_MAX; i++)
        free(sample.lines[i]);
    free(line);
    return good;
}
