/* The file of `pcomp calibrate -o FILE`, read by --calibration. */
#include "profiler/base/raw_call.h"
#include "profiler/calibrate/calibrate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char calibration_fitted[128];

static void read_fitted(const char *text)
{
    size_t n = strcspn(text, "\n");
    if (n >= sizeof(calibration_fitted))
        n = sizeof(calibration_fitted) - 1;
    memcpy(calibration_fitted, text, n);
    calibration_fitted[n] = 0;
}

static int64_t *field(struct pcomp_delta *d, const char *name, size_t length)
{
    const struct {
        const char *name;
        int64_t *to;
    } fields[] = {
        {"own", &d->own},
        {"descendant", &d->descendant},
        {"direct", &d->direct},
        {"own_spread", &d->own_spread},
        {"descendant_spread", &d->descendant_spread},
        {"direct_spread", &d->direct_spread},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length))
            return fields[i].to;
    return NULL;
}

/* "NAME own X descendant X ..." up to the end of the line. */
static const char *read_variant(const char *line, double tick_hz, struct pcomp_delta *delta)
{
    static const char *const names[] = {"repeat", "lookup", "skip"};
    struct pcomp_delta *d = NULL;
    for (size_t i = 0; i < PCOMP_VARIANTS; i++)
        if (!strncmp(line, names[i], strlen(names[i])) && line[strlen(names[i])] == ' ') {
            d = &delta[i];
            line += strlen(names[i]);
        }
    if (!d)
        return "a variant is not repeat, lookup or skip";
    while (*line == ' ') {
        const char *name = ++line;
        while (*line && *line != ' ' && *line != '\n')
            line++;
        int64_t *to = field(d, name, (size_t)(line - name));
        char *end;
        double ns = strtod(line, &end);
        if (!to || end == line || !(ns > -1e9 && ns < 1e9))
            return "a line is not \"variant NAME own X descendant X ...\" in ns";
        *to = (int64_t)(ns * 1e-9 * tick_hz * (1 << PCOMP_FIX_SHIFT));
        line = end;
    }
    d->repetitions = d->batch = 1;
    return NULL;
}

const char *calibration_read(const char *path, double tick_hz, struct pcomp_delta delta[PCOMP_VARIANTS])
{
    static char text[8192];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe nothing may ever come */
    if (fd < 0)
        return "cannot be opened";
    bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = is_file ? read(fd, text, sizeof(text) - 1) : 0;
    descriptor_close(fd);
    if (!is_file)
        return "is no file";
    text[n > 0 ? n : 0] = 0;
    if (strncmp(text, "pcomp-calibration 1\n", 20))
        return "is not a calibration file (pcomp calibrate -o FILE writes one)";
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (!strncmp(line, "fitted ", 7))
            read_fitted(line + 7);
        const char *wrong = strncmp(line, "variant ", 8) ? NULL : read_variant(line + 8, tick_hz, delta);
        if (wrong)
            return wrong;
    }
    return delta[PCOMP_VARIANT_REPEAT].repetitions && delta[PCOMP_VARIANT_LOOKUP].repetitions ? NULL
                                                                                              : "lacks a variant";
}
