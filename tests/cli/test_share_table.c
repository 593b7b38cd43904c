/* Which function of the profiles a scope of the uninstrumented program is, and how far the shares are apart. */
#include "reporters/verify/share_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static struct tree_function functions[] = {
    {.name = "[root]"},
    {.linkage_name = "parse", .file = "/src/a/parse.c", .line = 10, .module = "prog", .calls = 1},
    {.linkage_name = "parse", .file = "/src/a/other.c", .line = 20, .module = "prog", .calls = 1},
    {.linkage_name = "sum.constprop.0", .file = "/src/sum.c", .line = 5, .module = "prog", .calls = 1},
    {.linkage_name = "_ZN4ShopC1Ev", .file = "/src/shop.cc", .line = 7, .module = "prog", .calls = 1},
    {.linkage_name = "_ZL6helperi", .file = "/src/shop.cc", .line = 30, .module = "prog", .calls = 1},
    {.linkage_name = "unplaced", .module = "prog", .calls = 1},
    {.linkage_name = "never", .module = "prog"},
    {.linkage_name = "[region]", .calls = 1},
};
static struct share_table table;

static void begin(void)
{
    struct call_tree tree = {.functions = functions, .function_count = sizeof functions / sizeof *functions};
    for (size_t i = 0; i < tree.function_count; i++) {
        functions[i].exclusive.raw = functions[i].calls ? (double)(100 * i) : 0;
        functions[i].exclusive.compensated = functions[i].calls ? (double)(10 * i) : 0;
    }
    cr_assert(share_table_add(&table, &tree));
    cr_assert(share_table_add(&table, &tree));
}

static void end(void)
{
    share_table_free(&table);
}

TestSuite(share_table, .init = begin, .fini = end);

/* Raw time of what is found, in units of the function's index (two runs). */
static double found(const char *name, const char *file, unsigned line)
{
    const struct share_function *function =
        share_table_find(&table, &(struct symbol_scope){.name = name, .file = file, .line = line});
    return function ? function->raw / 200 : 0;
}

Test(share_table, sums_runs_and_leaves_out_what_is_not_of_the_program)
{
    cr_expect(eq(sz, table.index.count, 6));
    cr_expect(eq(dbl, found("never", NULL, 0), 0));
    cr_expect(eq(dbl, found("unplaced", NULL, 0), 6));
}

Test(share_table, parts_functions_of_one_name_by_their_files)
{
    cr_expect(eq(dbl, found("parse", "/elsewhere/parse.c", 10), 1));
    cr_expect(eq(dbl, found("parse", "/elsewhere/other.c", 20), 2));
    cr_expect(eq(dbl, found("parse", "/elsewhere/third.c", 20), 0));
    cr_expect(ne(dbl, found("parse", NULL, 0), 0));
    cr_expect(eq(dbl, found("unplaced", "/src/any.c", 3), 6));
}

Test(share_table, knows_clones_constructors_and_functions_without_a_linkage_name)
{
    cr_expect(eq(dbl, found("sum", "/src/sum.c", 5), 3));
    cr_expect(eq(dbl, found("sum.part.0.cold", "/src/sum.c", 5), 3));
    cr_expect(eq(dbl, found("_ZN4ShopC4Ev", "/src/shop.cc", 7), 4));
    cr_expect(eq(dbl, found("_ZN4ShopC2Ev", "/src/shop.cc", 7), 4));
    cr_expect(eq(dbl, found("helper", "/src/shop.cc", 30), 5));
    cr_expect(eq(dbl, found("helper", "/src/shop.cc", 31), 0));
    cr_expect(eq(dbl, found(NULL, "/src/shop.cc", 30), 0));
}

Test(share_table, distances_are_those_of_shares)
{
    struct share_distances distances;
    for (size_t i = 0; i < table.index.count; i++) /* the truth: as the profile's, with ten times the weight */
        table.functions[i].truth[0] = table.functions[i].truth[1] = (uint64_t)table.functions[i].raw;
    cr_assert(share_table_distances(&table, &distances));
    cr_expect(lt(dbl, fabs(distances.raw) + fabs(distances.compensated) + fabs(distances.floor), 1e-9));
    table.functions[0].compensated = -table.functions[0].compensated;
    table.functions[1].truth[1] += 1000;
    cr_assert(share_table_distances(&table, &distances));
    cr_expect(gt(dbl, distances.raw, 0.05));
    cr_expect(gt(dbl, distances.compensated, distances.raw));
    cr_expect(gt(dbl, distances.floor, distances.raw));
}
