/* The reader of perf's samples under damage: whatever the text, it gives frames that make sense. Entry of libFuzzer
 * (target fuzz_perf_script) and of fuzz_perf_regression. */
#include "reporters/verify/perf_script.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t samples, frames;
};

static void require(int holds)
{
    if (!holds)
        abort();
}

static void see(void *context, const struct perf_frame *frames, size_t count)
{
    struct seen *seen = context;
    require(count > 0 && count <= PERF_FRAMES_MAX);
    for (size_t i = 0; i < count; i++)
        require(frames[i].module && !strchr(frames[i].module, '\n'));
    seen->samples++;
    seen->frames += count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char none[] = "\n";
    FILE *in = fmemopen(size ? (void *)(uintptr_t)data : none, size ? size : 1, "r");
    struct seen seen = {0, 0};
    size_t lines = 1;
    require(in != NULL);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    require(perf_script_read(in, see, &seen));
    require(seen.samples <= seen.frames && seen.frames <= lines);
    fclose(in);
    return 0;
}

/* The seeds differ in how many frames a sample has. */
uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    for (unsigned sample = 0; sample < 5; sample++) {
        fputc('\n', out);
        for (unsigned frame = 0; frame < i * i * 2; frame++)
            fprintf(out, "\t%16x (%s)\n", 0x1000 * frame + sample, frame % 3 ? "/bin/a program (deleted)" : "[vdso]");
        fputc('\n', out);
    }
    fclose(out);
    return (uint8_t *)text;
}
