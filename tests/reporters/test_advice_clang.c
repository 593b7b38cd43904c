/* The header for clang, for a program that clang then takes it with. Needs clang. */
#include "reporters/advise/advice_write.h"
#include "tests/support/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "struct shop { unsigned sum; };\n"
    "typedef struct { unsigned sum; } till;\n"
    "static int add(struct shop *shop, unsigned a) { return (int)(shop->sum += a); }\n"
    "unsigned count(till *till) { return till->sum += 1; }\n"
    "int inlined(int a) { return a; }\n"
    "int main(void) { struct shop s = {1}; till t = {2}; return add(&s, 3) + (int)count(&t) + inlined(2); }\n";

TestSuite(advice_clang, .init = compiled_begin, .fini = compiled_end);

Test(advice_clang, declares_what_can_be_declared)
{
    struct tree_function functions[] = {{.name = "[root]", .linkage_name = "[root]"},
                                        {.name = "add"},
                                        {.name = "away"},
                                        {.name = "count"},
                                        {.name = "inlined"}};
    struct advice_item item = {"x", false};
    struct advice_row rows[4];
    compiled_source("shop.c", source);
    cr_assert(compiled_run("clang -g -O0 shop.c -o shop"));
    char *module = strdup(compiled_path("shop"));
    for (int i = 1; i < 5; i++) {
        functions[i].linkage_name = functions[i].name;
        functions[i].module = module;
        rows[i - 1] =
            (struct advice_row){.function = &functions[i], .why = i == 4 ? ADVICE_INLINED : ADVICE_TINY, .item = &item};
    }
    struct advice advice = {.rows = rows, .row_count = 4, .reason_count = 4};
    FILE *header = fopen(compiled_path("header.h"), "w+");
    cr_assert_not_null(header);
    cr_assert(advice_write_clang(header, &advice, NULL));
    char text[2000];
    rewind(header);
    text[fread(text, 1, sizeof text - 1, header)] = 0;
    fclose(header);
    free(module);
    cr_expect_str_eq(text,
                     "/* Keeps clang's instrumentation off functions: compile with -include and this file. */\n"
                     "/* Functions that are inlined everywhere: 1. -finstrument-functions-after-inlining in place of\n"
                     " * -finstrument-functions leaves them alone. */\n"
                     "/* not declared: away: not in the debugging information */\n"
                     "/* not declared: count: a type without a tag */\n"
                     "#if !defined __cplusplus && !defined __ASSEMBLER__\n"
                     "struct shop;\n"
                     "__attribute__((no_instrument_function)) static int add(struct shop *, unsigned int );\n"
                     "#endif\n");
    cr_expect(compiled_run("clang -Wall -Werror -finstrument-functions -include header.h -S shop.c -o shop.s"));
    cr_expect(compiled_run("[ \"$(grep -c 'call.*func_enter' shop.s)\" = 3 ]"), "all but add are instrumented");
    cr_expect(compiled_run("echo 'int f() { return 3; }' >f.cc && clang++ -include header.h -c f.cc && "
                           "echo .text >g.S && clang -include header.h -c g.S"),
              "other languages are left alone");
}
