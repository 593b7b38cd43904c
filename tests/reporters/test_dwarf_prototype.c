/* Declarations made from DWARF: what they say, and that a compiler takes them before the source. Needs gcc, clang. */
#include "reporters/symbols/dwarf_functions.h"
#include "reporters/symbols/dwarf_prototype.h"
#include "tests/support/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dwarf_functions functions;
static struct prototype_tags tags;

static void end(void)
{
    dwarf_functions_free(&functions);
    prototype_tags_free(&tags);
    compiled_end();
}

TestSuite(dwarf_prototype, .init = compiled_begin, .fini = end);

static const char source[] =
    "#include <stdarg.h>\n#include <stddef.h>\n#include <stdbool.h>\n"
    "typedef struct list list; struct list { int n; }; typedef struct { int n; } nameless; union both { int i; };\n"
    "enum kind { ONE, TWO }; typedef int (*compare)(const void *, const void *); typedef unsigned char byte;\n"
    "static int push(list *l, size_t n) { return l->n + (int)n; }\n"
    "void none(void) {}\n"
    "const char *const *texts(const char *restrict a, volatile int *b) { (void)a, (void)b; return 0; }\n"
    "byte sort(void *base, compare how, enum kind k, bool b) { return base && how && k && b; }\n"
    "compare chosen(int (*const *table)(const void *, const void *)) { return table[0]; }\n"
    "double more(union both *u, const char *f, ...) { return u->i + f[0]; }\n"
    "list by_value(list l) { return l; }\n"
    "int lost(nameless *n) { return n->n; }\n"
    "int rows(int (*a)[3]) { return a[0][0]; }\n"
    "int wide(const char *f, va_list v) { return f[0] + va_arg(v, int); }\n"
    "int main(void) { struct list l = {1}; return push(&l, 3); }\n";

static const struct {
    const char *name, *declaration, *why;
} expected[] = {
    {"push", "static int push(struct list *, long unsigned int )", NULL},
    {"none", "void none(void)", NULL},
    {"texts", "char const *const *texts(char const *restrict , int volatile *)", NULL},
    {"sort", "unsigned char sort(void *, int (*)(void const *, void const *), unsigned int , _Bool )", NULL},
    {"chosen", "int (*chosen(int (*const *)(void const *, void const *)))(void const *, void const *)", NULL},
    {"more", "double more(union both *, char const *, ...)", NULL},
    {"by_value", "struct list by_value(struct list )", NULL},
    {"lost", NULL, "a type without a tag"},
    {"rows", NULL, "an array or another type without a name"},
    {"wide", NULL, "a va_list"},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

/* Writes all declarations into all.h and returns that of `wanted`, NULL and *why. */
static char *declare_all(const char *wanted, const char **reason)
{
    FILE *header = fopen(compiled_path("all.h"), "w"), *body = tmpfile();
    char *text = NULL;
    cr_assert(header && body);
    for (size_t i = 0; i < functions.count; i++) {
        const char *why = NULL;
        char *one = dwarf_prototype(&functions.list[i].die, &tags, &why);
        if (one)
            fprintf(body, "__attribute__((no_instrument_function)) %s;\n", one);
        if (!strcmp(functions.list[i].name, wanted)) {
            text = one;
            *reason = why;
        } else
            free(one);
    }
    for (size_t i = 0; i < tags.count; i++)
        fprintf(header, "%s;\n", tags.texts[i]);
    rewind(body);
    for (int c; (c = getc(body)) != EOF;)
        putc(c, header);
    fclose(body);
    fclose(header);
    return text;
}

static void build(const char *compiler)
{
    compiled_source("p.c", source);
    cr_assert(compiled_run("%s -g -O0 -w p.c -o prog", compiler));
    char error[256];
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
}

Test(dwarf_prototype, is_written_without_the_programs_headers)
{
    build("gcc");
    for (size_t i = 0; i < EXPECTED; i++) {
        const char *why = NULL;
        char *text = declare_all(expected[i].name, &why);
        if (expected[i].declaration)
            cr_expect(text && !strcmp(text, expected[i].declaration), "%s", text ? text : why);
        else
            cr_expect(!text && !strcmp(why, expected[i].why), "%s: %s", expected[i].name, text ? text : why);
        free(text);
    }
}

Test(dwarf_prototype, fits_the_definition_and_takes_the_instrumentation_away)
{
    static const char *const compilers[] = {"gcc", "clang"};
    /* newer ones warn of an enumeration's integer type, which it is compatible with; only clang needs declarations */
    static const char *const options[] = {"-Wno-enum-int-mismatch", ""};
    for (int c = 0; c < 2; c++) {
        build(compilers[c]);
        const char *why = NULL;
        free(declare_all("main", &why));
        cr_assert(
            compiled_run("%s -Wall -Werror -Wno-unused %s -finstrument-functions -O0 -include all.h -S p.c -o p.s",
                         compilers[c], options[c]));
        cr_expect(compiled_run("[ \"$(grep -c 'call.*func_enter' p.s)\" = 3 ]"), "%s: those that have no declaration",
                  compilers[c]);
        dwarf_functions_free(&functions);
    }
}

Test(dwarf_prototype, is_for_c_alone)
{
    compiled_source("p.cc", "int top(int a) { return a; }\nint main() { return top(3); }\n");
    cr_assert(compiled_run("g++ -g p.cc -o prog"));
    char error[256];
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
    const char *why = NULL;
    cr_assert_null(declare_all("top", &why));
    cr_assert_str_eq(why, "not a C function");
}
