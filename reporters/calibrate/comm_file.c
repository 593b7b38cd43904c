#include "reporters/calibrate/comm_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define HEAD    "pcomp-communication 1\n"
#define BETWEEN "nodes " /* in front of the lines that are of messages between nodes */

static void write_line(FILE *out, const char *of, const char *name, const struct comm_line *line)
{
    fprintf(out, "%s%s start %.6f per_byte %.9f residual %.6f\n", of, name, line->start, line->per_byte,
            line->residual);
}

static void write_model(FILE *out, const char *of, const struct comm_model *model)
{
    fprintf(out, "%sthreshold %" PRIu64 "\n", of, model->threshold);
    if (model->threshold)
        fprintf(out, "%sthreshold_interval %" PRIu64 " %" PRIu64 "\n", of, model->threshold_min, model->threshold_max);
    write_line(out, of, "eager", &model->eager);
    write_line(out, of, "rendezvous", &model->rendezvous);
    for (uint32_t i = 0; i < model->copies; i++)
        fprintf(out, "%scopy %" PRIu64 " time %.6f\n", of, model->copy[i].bytes, model->copy[i].time);
}

void comm_file_write(FILE *out, const char *mpi, const struct comm_model *messages, const struct comm_model *between)
{
    fprintf(out, HEAD "mpi %s\n", mpi);
    write_model(out, "", messages);
    if (comm_is_known(between))
        write_model(out, BETWEEN, between);
}

static bool is_time(double value)
{
    return isfinite(value) && value >= 0;
}

static bool read_fit(const char *text, struct comm_line *line)
{
    return sscanf(text, "start %lf per_byte %lf residual %lf", &line->start, &line->per_byte, &line->residual) == 3 &&
           is_time(line->start) && is_time(line->per_byte) && is_time(line->residual);
}

static bool read_copy(const char *text, struct comm_model *model)
{
    struct comm_copy copy;
    if (sscanf(text, "%" SCNu64 " time %lf", &copy.bytes, &copy.time) != 2 || !is_time(copy.time) ||
        model->copies == COMM_COPIES || (model->copies && copy.bytes <= model->copy[model->copies - 1].bytes))
        return false;
    model->copy[model->copies++] = copy;
    return true;
}

/* One line; those of later versions that it does not know are passed over. `seen` has a bit for each that must be
 * there. */
static bool read_line(const char *text, struct comm_model *model, unsigned *seen)
{
    if (!strncmp(text, "eager ", 6))
        return *seen |= 1, read_fit(text + 6, &model->eager);
    if (!strncmp(text, "rendezvous ", 11))
        return *seen |= 2, read_fit(text + 11, &model->rendezvous);
    if (!strncmp(text, "threshold ", 10))
        return *seen |= 4, sscanf(text + 10, "%" SCNu64, &model->threshold) == 1;
    if (!strncmp(text, "threshold_interval ", 19))
        return sscanf(text + 19, "%" SCNu64 " %" SCNu64, &model->threshold_min, &model->threshold_max) == 2;
    if (!strncmp(text, "copy ", 5))
        return read_copy(text + 5, model);
    return true;
}

bool comm_file_read(const char *path, struct comm_model *messages, struct comm_model *between, char *error,
                    size_t error_size)
{
    char text[512] = "";
    const size_t of = strlen(BETWEEN);
    unsigned seen = 0, seen_between = 0, number = 1;
    *messages = *between = (struct comm_model){.has_protocols = true};
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(error, error_size, "%s: %s (pcomp calibrate --mpi -o FILE writes one)", path, strerror(errno));
        return false;
    }
    bool good = fgets(text, sizeof text, file) && !strcmp(text, HEAD);
    if (!good)
        snprintf(error, error_size, "%s: does not say what messages cost (pcomp calibrate --mpi -o FILE writes it)",
                 path);
    while (good && fgets(text, sizeof text, file)) {
        number++;
        good = strncmp(text, BETWEEN, of) != 0 ? read_line(text, messages, &seen)
                                               : read_line(text + of, between, &seen_between);
        if (!good)
            snprintf(error, error_size, "%s: line %u: cannot be understood (pcomp calibrate --mpi -o FILE writes it)",
                     path, number);
    }
    if (good && (seen != 7 || (seen_between && seen_between != 7))) {
        good = false;
        snprintf(error, error_size, "%s: is not complete (pcomp calibrate --mpi -o FILE writes it)", path);
    }
    fclose(file);
    return good;
}
