/* What became of functions, as the DWARF of real compilers tells it. Needs gcc, clang and binutils. */
#include "reporters/base/text.h"
#include "reporters/symbols/dwarf_functions.h"
#include "tests/support/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct dwarf_functions functions;
static char error[512];

static void end(void)
{
    dwarf_functions_free(&functions);
    compiled_end();
}

TestSuite(dwarf_functions, .init = compiled_begin, .fini = end);

static const char one_c[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "static int small(int a) { return a * 3 + 1; }\n"
    "static inline int twice(int a) { return small(a) * small(a + 1); }\n"
    "static int same1(int a) { return a * 9 + printf(\"y\"); }\n"
    "static int same2(int a) { return a * 9 + printf(\"y\"); }\n"
    "int (*pick(int k))(int) { return k ? same1 : same2; }\n"
    "__attribute__((noinline)) static int times(int a, int b) { return a * b + printf(\"z\"); }\n"
    "int loop(int n) { int r = 0; for (int i = 0; i < n; i++) r += printf(\"%d\", twice(i));\n"
    "    for (int i = 0; i < n; i++) r -= printf(\"%d\", twice(i)); return r; }\n"
    "static int rare(int *p) { if (!p) return 0; int r = 0;\n"
    "    for (int i = 0; i < *p; i++) { r += loop(i); printf(\"%d\", r); abort(); }\n"
    "    for (int i = 0; i < *p; i++) { r += loop(i) * 3; printf(\"%d\", r); } return r; }\n"
    "int use1(int *p) { return rare(p) + 1; }\n"
    "int use2(int *p) { return rare(p) + 2; }\n"
    "int use3(int *p) { return rare(p + 3) + 2; }\n"
    "int other(int);\n"
    "int main(int c, char **v) { (void)v; return loop(c) + pick(c)(c) + times(c, 3) +\n"
    "    times(c + 1, 3) + use1(&c) + use2(&c) + use3(&c) + other(c); }\n";
/* a function of the same name, with code */
static const char two_c[] = "#include <stdio.h>\n"
                            "__attribute__((noinline)) static int small(int a) { return printf(\"%d\", a); }\n"
                            "int other(int a) { return small(a) + small(a + 1); }\n";

static void build(const char *command)
{
    compiled_source("one.c", one_c);
    compiled_source("two.c", two_c);
    cr_assert(compiled_run("%s one.c two.c -o prog", command), "%s", command);
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
}

static enum dwarf_form form(const char *linkage, const char *file)
{
    const struct dwarf_function *found = dwarf_functions_find(&functions, linkage, file);
    return found ? found->form : FORM_UNKNOWN;
}

static void assert_optimised(const char *command, enum dwarf_form rare)
{
    build(command);
    cr_assert(form("twice", "one.c") == FORM_INLINED, "%s: twice %d", command, form("twice", NULL));
    cr_assert(form("small", "one.c") == FORM_INLINED || form("small", "one.c") == FORM_GONE, "%s: small %d", command,
              form("small", "one.c"));
    cr_assert_eq(form("small", "/elsewhere/two.c"), FORM_CODE, "%s", command);
    cr_assert_eq(form("small", NULL), FORM_CODE, "%s: of two, the one with code", command);
    cr_assert_eq(form("times", "one.c"), FORM_CODE, "%s: a clone is code", command);
    cr_assert_eq(form("times.constprop.0", "one.c"), FORM_CODE, "%s", command);
    cr_assert_eq(form("same1", "one.c"), FORM_CODE, "%s", command);
    cr_assert_eq(form("same2", "one.c"), FORM_CODE, "%s: code made one with another's", command);
    cr_assert_eq(form("rare", "one.c"), rare, "%s: rare %d", command, form("rare", "one.c"));
    cr_assert_eq(form("main", "one.c"), FORM_CODE, "%s", command);
    cr_assert_eq(form("printf", NULL), FORM_UNKNOWN, "%s: only declared", command);
    cr_assert_eq(form("main", "three.c"), FORM_UNKNOWN, "%s", command);
}

Test(dwarf_functions, all_have_code_without_optimisation)
{
    build("gcc -g -O0");
    for (size_t i = 0; i < functions.count; i++)
        cr_assert_eq(functions.list[i].form, FORM_CODE, "%s", functions.list[i].name);
    cr_assert_eq(functions.count, 14);
}

Test(dwarf_functions, gcc_O1)
{
    assert_optimised("gcc -g -O1", FORM_CODE);
}

Test(dwarf_functions, gcc_O2)
{
    assert_optimised("gcc -g -O2", FORM_PART);
}

Test(dwarf_functions, gcc_O3)
{
    assert_optimised("gcc -g -O3 -fno-ipa-cp", FORM_PART);
}

Test(dwarf_functions, gcc_with_least_information)
{
    build("gcc -g1 -O2");
    cr_assert_eq(form("twice", NULL), FORM_INLINED);
    cr_assert_eq(form("loop", NULL), FORM_CODE);
}

Test(dwarf_functions, gcc_dwarf_4)
{
    assert_optimised("gcc -gdwarf-4 -O2", FORM_PART);
}

Test(dwarf_functions, gcc_split)
{
    build("gcc -g -gsplit-dwarf -O2");
    cr_assert_eq(form("twice", NULL), FORM_INLINED);
    cr_assert_eq(form("loop", NULL), FORM_CODE);
}

Test(dwarf_functions, gcc_link_time)
{
    build("gcc -g -O2 -flto");
    cr_assert_eq(form("twice", NULL), FORM_INLINED);
    cr_assert_eq(form("rare", NULL), FORM_PART);
    cr_assert_eq(form("other", NULL), FORM_INLINED, "across files");
    cr_assert_eq(form("main", NULL), FORM_CODE);
}

Test(dwarf_functions, clang)
{
    build("clang -g -O0");
    cr_assert_eq(form("twice", NULL), FORM_CODE);
    dwarf_functions_free(&functions);
    build("clang -g -O2");
    cr_assert_eq(form("rare", NULL), FORM_INLINED);
    cr_assert_eq(form("loop", NULL), FORM_CODE);
    cr_assert_eq(form("times", NULL), FORM_CODE);
    dwarf_functions_free(&functions);
    build("clang -gdwarf-4 -gsplit-dwarf -O3");
    cr_assert_eq(form("loop", NULL), FORM_CODE);
}

Test(dwarf_functions, inlined_in_one_file_is_not_everywhere)
{
    compiled_source("shared.h", "static int often(int a) { return a * 3 + (a >> 2); }\n");
    compiled_source("a.c", "#include \"shared.h\"\n#include <stdlib.h>\n"
                           "int b(int);\nint main(int c, char **v) { return often(atoi(v[1])) + b(c); }\n");
    compiled_source("b.c", "#include \"shared.h\"\nint (*volatile p)(int);\n"
                           "int b(int a) { p = often; return p(a) + 1; }\n");
    cr_assert(compiled_run("gcc -g -O2 a.c b.c -o prog"));
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
    cr_assert_eq(form("often", "shared.h"), FORM_CODE);
    const struct dwarf_function *found = dwarf_functions_find(&functions, "often", NULL);
    cr_assert_eq(found->sources, 1, "one function, of one header");
    cr_assert_str_eq(text_basename(found->file), "shared.h");
    cr_assert_eq(found->line, 1);
}

Test(dwarf_functions, of_cplusplus)
{
    compiled_source("c.cc",
                    "#include <cstdlib>\n"
                    "namespace shop { struct item { int price; item(int p); int get() const { return price; }\n"
                    "  __attribute__((noinline)) int slow(int k) { return price * std::atoi(\"3\") + k; } };\n"
                    "template <class T> T add(T a, T b) { return a * b + 1; } }\n"
                    "__attribute__((noinline)) shop::item::item(int p) : price(std::rand() + p) {}\n"
                    "namespace { int hidden(int a) { return std::atoi(\"4\") + a; } }\n"
                    "static int internal(double a) { return std::atoi(\"5\") + int(a); }\n"
                    "int main(int c, char **) { shop::item i(c); auto l = [&](int k) { return std::rand() + k; };\n"
                    "  return i.get() + i.slow(c) + shop::add(c, 3) + hidden(c) + internal(c) + l(2); }\n");
    static const char *const compilers[] = {"g++", "clang++"};
    static const struct {
        const char *linkage;
        enum dwarf_form form;
    } expected[] = {
        {"_ZNK4shop4item3getEv", FORM_INLINED},
        {"_ZN4shop4item4slowEi", FORM_CODE},
        {"_ZN4shop3addIiEET_S1_S1_", FORM_INLINED},
        {"_ZN4shop4itemC1Ei", FORM_CODE},
        {"_ZN4shop4itemC2Ei", FORM_CODE},
        {"_ZN12_GLOBAL__N_16hiddenEi", FORM_INLINED},
        {"_ZL8internald", FORM_INLINED},
        {"_ZZ4mainENKUliE_clEi", FORM_INLINED},
        {"main", FORM_CODE},
    };
    for (int c = 0; c < 2; c++) {
        cr_assert(compiled_run("%s -g -O2 c.cc -o prog", compilers[c]));
        cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            enum dwarf_form got = form(expected[i].linkage, "c.cc");
            /* clang leaves nothing of what it dissolved */
            cr_assert(got == expected[i].form || (c && expected[i].form == FORM_INLINED && got == FORM_UNKNOWN),
                      "%s: %s: form %d", compilers[c], expected[i].linkage, got);
        }
        dwarf_functions_free(&functions);
    }
}

Test(dwarf_functions, come_from_a_separate_debug_file)
{
    compiled_source("one.c", one_c);
    compiled_source("two.c", two_c);
    cr_assert(compiled_run("gcc -g -O2 one.c two.c -o prog && objcopy --only-keep-debug prog prog.debug && "
                           "objcopy --strip-all prog && objcopy --add-gnu-debuglink=prog.debug prog"));
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
    cr_assert_eq(form("rare", NULL), FORM_PART, "symbols come from there, too");
}

static void assert_refused(const char *path, const char *why)
{
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", path, why);
    cr_assert_not(dwarf_functions_read(&functions, path, error, sizeof error));
    cr_assert_str_eq(error, expected);
    cr_assert_eq(functions.count, 0);
}

Test(dwarf_functions, refuses_what_is_no_program)
{
    compiled_source("one.c", one_c);
    compiled_source("two.c", two_c);
    assert_refused("/no/such/file", "No such file or directory");
    assert_refused(compiled_path("one.c"), "is not an ELF file (give a program or a shared library)");
    cr_assert(compiled_run("gcc -g -c one.c -o one.o && gcc one.c two.c -o bare"));
    assert_refused(compiled_path("one.o"), "is not linked (give a program or a shared library)");
    assert_refused(compiled_path("bare"), "has no debugging information (compile it with -g)");
}

Test(dwarf_functions, names_like_clones_are_found)
{
    static const char labelled[] = "int named(int a) __asm__(\"named.part.7\");\n"
                                   "int named(int a) { return a + 1; }\n"
                                   "int main(int c, char **v) { (void)v; return named(c); }\n";
    compiled_source("one.c", labelled);
    cr_assert(compiled_run("gcc -g -O0 one.c -o prog"));
    cr_assert(dwarf_functions_read(&functions, compiled_path("prog"), error, sizeof error), "%s", error);
    cr_assert_neq(form("named.part.7", "one.c"), FORM_UNKNOWN);
}
