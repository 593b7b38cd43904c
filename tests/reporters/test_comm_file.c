/* What messages cost, written and read again; and files that are no such thing. */
#include "reporters/calibrate/comm_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void begin(void)
{
    strcpy(path, "/tmp/pcomp-comm.XXXXXX");
    int file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
}

static void end(void)
{
    unlink(path);
}

TestSuite(comm_file, .init = begin, .fini = end);

static void put(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(comm_file, what_is_written_is_read)
{
    struct comm_model read, between,
        model = {.eager = {512.25, 0.295925250, 12.5},
                 .rendezvous = {2194.396621, 0.066712885, 0},
                 .threshold = 16384,
                 .threshold_min = 8193,
                 .threshold_max = 16384,
                 .copies = COMM_COPIES};
    char error[256] = "";
    for (uint32_t i = 0; i < COMM_COPIES; i++)
        model.copy[i] = (struct comm_copy){1u << i, 1.5 * i};
    FILE *file = fopen(path, "w");
    cr_assert(file);
    comm_file_write(file, "MPICH Version: 4.0.2", &model, &(struct comm_model){0});
    fclose(file);
    cr_assert(comm_file_read(path, &read, &between, error, sizeof error), "%s", error);
    cr_assert_eq(read.threshold, model.threshold);
    cr_assert_eq(read.threshold_min, model.threshold_min);
    cr_assert_eq(read.threshold_max, model.threshold_max);
    cr_assert_eq(read.copies, model.copies);
    for (uint64_t bytes = 0; bytes < 100000; bytes += 777) {
        cr_assert_float_eq(comm_time(&read, bytes), comm_time(&model, bytes), 1e-3);
        cr_assert_float_eq(comm_copy_time(&read, bytes), comm_copy_time(&model, bytes), 1e-3);
    }
    cr_assert_not(comm_is_known(&between));
}

Test(comm_file, messages_between_nodes_have_lines_of_their_own)
{
    struct comm_model read, between, near = {.eager = {500, 0.25, 1}, .rendezvous = {900, 0.125, 1}, .threshold = 4096},
                                     far = {.eager = {20000, 1, 1},
                                            .rendezvous = {50000, 0.5, 1},
                                            .threshold = 65536,
                                            .copies = 1,
                                            .copy = {{1024, 100}}};
    char error[256] = "";
    FILE *file = fopen(path, "w");
    cr_assert(file);
    comm_file_write(file, "MPICH Version: 4.0.2", &near, &far);
    fclose(file);
    cr_assert(comm_file_read(path, &read, &between, error, sizeof error), "%s", error);
    for (uint64_t bytes = 0; bytes < 100000; bytes += 777) {
        cr_assert_float_eq(comm_time(&read, bytes), comm_time(&near, bytes), 1e-3);
        cr_assert_float_eq(comm_time(&between, bytes), comm_time(&far, bytes), 1e-3);
        cr_assert_float_eq(comm_copy_time(&between, bytes), comm_copy_time(&far, bytes), 1e-3);
    }
}

#define HEAD  "pcomp-communication 1\n"
#define LINES "eager start 1 per_byte 1 residual 0\nrendezvous start 1 per_byte 1 residual 0\n"

Test(comm_file, mistakes_are_told_with_their_line)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "does not say"},
        {"pcomp-calibration 1\n", "does not say"},
        {"pcomp-communication 2\n", "does not say"},
        {HEAD, "not complete"},
        {HEAD LINES, "not complete"},
        {HEAD "threshold many\n", "line 2"},
        {HEAD LINES "threshold 0\ncopy 1 time -1\n", "line 5"},
        {HEAD LINES "threshold 0\ncopy 2 time 1\ncopy 2 time 1\n", "line 6"},
        {HEAD "eager start nan per_byte 1 residual 0\n", "line 2"},
        {HEAD "eager start 1\n", "line 2"},
        {HEAD LINES "threshold 0\nnodes eager start 1\n", "line 5"},
        {HEAD LINES "threshold 0\nnodes threshold 1\n", "not complete"},
        {HEAD "mpi x\nrendezvous start 1 per_byte inf residual 0\n", "line 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct comm_model model, between;
        char error[256] = "";
        put(cases[i].text);
        cr_assert_not(comm_file_read(path, &model, &between, error, sizeof error), "case %zu was read", i);
        cr_assert(strstr(error, cases[i].says), "case %zu: %s", i, error);
        cr_assert(strstr(error, path), "case %zu does not name the file: %s", i, error);
    }
}

Test(comm_file, more_sizes_than_the_table_has_are_refused)
{
    struct comm_model model, between;
    char error[256] = "", text[2000] = HEAD LINES "threshold 0\n";
    for (int i = 0; i <= COMM_COPIES; i++)
        sprintf(text + strlen(text), "copy %d time 1\n", i + 1);
    put(text);
    cr_assert_not(comm_file_read(path, &model, &between, error, sizeof error));
}

Test(comm_file, lines_of_later_versions_are_passed_over)
{
    struct comm_model model, between;
    char error[256] = "";
    put(HEAD LINES "threshold 4096\nhops 3\n");
    cr_assert(comm_file_read(path, &model, &between, error, sizeof error), "%s", error);
    cr_assert_eq(model.threshold, 4096);
}
