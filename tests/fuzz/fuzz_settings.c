/* The readers of what users write: PCOMP_OPTIONS, the file of --calibration, and that of what messages cost. Whatever
 * the text, each refuses it or has settings that make sense. */
#include "profiler/base/config.h"
#include "profiler/calibrate/calibrate.h"
#include "profiler/format/names.h"
#include "reporters/calibrate/comm_file.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TICK_HZ 2.5e9

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_settings: not so: %s\n", what);
    abort();
}

static void read_options(const char *text)
{
    static char *variable; /* setenv would keep each */
    char *before = variable;
    require(asprintf(&variable, "PCOMP_OPTIONS=%s", text) >= 0 && !putenv(variable), "there is memory");
    free(before);
    memset(&config, 0, sizeof(config));
    const char *wrong = config_read();
    require(config.data[0] == '/' && memchr(config.data, 0, sizeof(config.data)), "the data directory is absolute");
    require(config.pattern_count <= CONFIG_PATTERNS_MAX, "there is room for the patterns");
    if (wrong) {
        require(*wrong && strlen(wrong) < 400, "a refusal has a text");
        return;
    }
    for (size_t i = 0; i < config.pattern_count; i++)
        require(config.patterns[i].text != NULL, "a pattern has a text");
    require(config.budget >= 0 && config.budget <= 1, "a budget is a share");
    require(!config.trace_budget || (config.trace && config.trace_budget >= PCOMP_MIN_TRACE_RATE), "of traces alone");
    require(!config.trace_limit || config.trace_limit >= PCOMP_MIN_TRACE_LIMIT, "a limit has room for a segment");
    require(!config.counts || (config.automatic && !config.trace && !config.custom), "one mode at a time");
}

static void read_calibration(const char *path)
{
    struct pcomp_delta delta[PCOMP_VARIANTS];
    memset(delta, 0, sizeof(delta));
    const char *wrong = calibration_read(path, TICK_HZ, delta);
    require(memchr(calibration_fitted, 0, sizeof(calibration_fitted)) != NULL, "what was fitted ends");
    require(!wrong || *wrong, "a refusal has a text");
    for (int i = 0; i < PCOMP_VARIANTS; i++)
        require(labs((long)delta[i].own) < INT64_MAX / 2, "a delta is below a second");
}

static void read_communication(const char *path)
{
    struct comm_model models[2];
    char error[400] = "";
    bool good = comm_file_read(path, &models[0], &models[1], error, sizeof(error));
    require(good || *error, "a refusal has a text");
    for (int i = 0; i < 2; i++) {
        require(models[i].copies <= COMM_COPIES, "there is room for the copies");
        require(!good || (isfinite(models[i].eager.start) && isfinite(models[i].rendezvous.per_byte)),
                "costs are numbers");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], *text = malloc(size + 1);
    int fd = memfd_create("settings", MFD_CLOEXEC);
    require(text && fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is memory");
    memcpy(text, data, size);
    text[size] = 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_options(text);
    read_calibration(path);
    read_communication(path);
    close(fd);
    free(text);
    return 0;
}

uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    static const char *const texts[] = {
        "--mode full --counts exact --budget 5.125% --only 'a*' --skip module:libm* --skip=\"file:x y\" --clock "
        "tsc-serial",
        "--trace --trace-limit 100M:ring --budget-trace 20M --only main\\ ",
        "pcomp-calibration 1\nclock tsc\nfitted PROGRAM in 12 runs\n"
        "variant repeat own 8.25 descendant 20.5 direct 0 own_spread 0.1 descendant_spread 0.2 direct_spread 0\n"
        "variant lookup own 8 descendant 3e1\nvariant skip own 0 descendant 2\n",
        "pcomp-communication 1\nmpi MPICH 4.0\nthreshold 65536\nthreshold_interval 60000 70000\n"
        "eager start 400.5 per_byte 0.1 residual 3\nrendezvous start 900 per_byte 0.05 residual 7\n"
        "copy 8 time 1.5\ncopy 1024 time 30\nnodes threshold 9\nnodes eager start 4 per_byte 1 residual 3\n"
        "nodes rendezvous start 9 per_byte 2 residual 7\nnodes copy 8 time 1\n"};
    const char *text = texts[i % (sizeof(texts) / sizeof(*texts))];
    *size = strlen(text);
    return (uint8_t *)strdup(text);
}
