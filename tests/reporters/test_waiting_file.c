/* DIR/waiting and DIR/replay: what is written is read; what is damaged is refused. */
#include "reporters/profile/replay_info.h"
#include "reporters/replay/waiting_file.h"
#include "tests/support/trace_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char *dir;

static void set_up(void)
{
    dir = trace_maker_directory();
}

static void tear_down(void)
{
    trace_maker_remove(dir);
}

TestSuite(waiting_file, .init = set_up, .fini = tear_down);

static void write_file(const char *name, const char *text)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

Test(waiting_file, sorted_and_unescaped)
{
    struct waiting_table table;
    char error[512] = "";
    write_file("waiting", "pcomp-waiting 1\n"
                          "barrier\tmain\t1\t20.000\t0.000\tf\tmain > f\n"
                          "lock\trank 1\t3\t1e9\t-5\ta\\x09b\\x5c\\xg\\x4\t\n");
    cr_assert(waiting_file_read(dir, &table, error, sizeof error), "%s", error);
    cr_assert_eq(table.count, 2);
    cr_expect_str_eq(table.rows[0].kind, "lock");
    cr_expect_str_eq(table.rows[0].function, "a\tb\\\\xg\\x4");
    cr_expect_str_eq(table.rows[0].path, "");
    cr_expect_eq(table.rows[0].count, 3);
    cr_expect_float_eq(table.rows[0].measured, 1e9, 1e-3);
    cr_expect_float_eq(table.rows[0].approximated, -5, 1e-3);
    cr_expect_str_eq(table.rows[1].path, "main > f");
    waiting_table_free(&table);
}

Test(waiting_file, damaged)
{
    static const char *const texts[] = {
        "",
        "pcomp-waiting 2\n",
        "pcomp-waiting 1\nbarrier\n",
        "pcomp-waiting 1\nbarrier\tmain\t1\t20.0\t0.0\tf\n",
        "pcomp-waiting 1\nbarrier\tmain\t1\t20.0\t0.0\tf\tpath\tmore\n",
        "pcomp-waiting 1\nbarrier\tmain\tone\t20.0\t0.0\tf\tpath\n",
        "pcomp-waiting 1\nbarrier\tmain\t1\tnan\t0.0\tf\tpath\n",
        "pcomp-waiting 1\nbarrier\tmain\t1\t20.0\t\tf\tpath\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct waiting_table table;
        char error[5000] = "";
        write_file("waiting", texts[i]);
        cr_expect(!waiting_file_read(dir, &table, error, sizeof error), "%s", texts[i]);
        cr_expect(strstr(error, "/waiting: line "), "%s", error);
        cr_expect_eq(table.count, 0);
    }
}

Test(waiting_file, info)
{
    struct replay_info read, written = {.measured = "/a dir/with, things",
                                        .model = "event",
                                        .bound = "upper",
                                        .how = "event, so",
                                        .uncertainty = 0.25,
                                        .removal = 0.5};
    cr_assert(!replay_info_read(dir, &read));
    cr_assert(replay_info_write(dir, &written));
    cr_assert(replay_info_read(dir, &read));
    cr_expect_str_eq(read.measured, written.measured);
    cr_expect_str_eq(read.model, written.model);
    cr_expect_str_eq(read.bound, written.bound);
    cr_expect_str_eq(read.how, written.how);
    cr_expect_eq(read.uncertainty, 0.25);
    cr_expect_eq(read.removal, 0.5);
    cr_expect_eq(read.outside, 0);
    write_file("replay", "pcomp-replay 1\nmeasured /a\nspread 0.25\n"); /* as it was once */
    cr_assert(replay_info_read(dir, &read));
    cr_expect_eq(read.removal, 0);
    cr_expect_eq(read.outside, 0.25, "a share of which no part is known is of all times");
    write_file("replay", "pcomp-replay 2\nmeasured /a\n");
    cr_expect(!replay_info_read(dir, &read));
    write_file("replay", "pcomp-replay 1\n");
    cr_expect(!replay_info_read(dir, &read));
}
