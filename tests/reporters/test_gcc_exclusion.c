/* The items of gcc's exclude lists, and that gcc itself takes them as foreseen. Needs g++. */
#include "reporters/advise/gcc_exclusion.h"
#include "tests/support/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gcc_exclusion, .init = compiled_begin, .fini = compiled_end);

static const struct {
    const char *linkage, *item;
} names[] = {
    {"plain", "plain"},
    {"plain.constprop.0", "plain"},
    {"_Z3topi", "top"},
    {"_ZN2ns1A3getEi", "ns::A::get"},
    {"_ZN2ns1AC2Ei", "ns::A::A"},
    {"_ZN2ns1AD1Ev", "ns::A::~A"},
    {"_ZN2ns1AclEii", "ns::A::operator()"},
    {"_ZN2ns1AixEi", "ns::A::operator[]"},
    {"_ZN2ns1AcmEi", "ns::A::operator,"},
    {"_ZN2ns1AltERKS0_", "ns::A::operator<"},
    {"_ZN2ns1AptEv", "ns::A::operator->"},
    {"_ZN2ns1AcvlEv", "ns::A::operator "}, /* of "long" gcc makes "long int" */
    {"_ZN2ns1A4convIlEET_S2_", "ns::A::conv"},
    {"_ZN2ns4pairIidE5firstEv", "::first"},
    {"_ZN2ns4freeIiEET_S1_", "ns::free"},
    {"_ZN2nslsIiEEiRNS_1AET_", "ns::operator<<"},
    {"_ZN12_GLOBAL__N_14anonEi", "::anon"},
    {"_ZZ6callerlENKUliE_clEi", "::operator()"},
    {"_ZZ6callerlEN5local4callEv", "::call"},
};

static const char source[] =
    "extern \"C\" int plain(int a) { return a; }\n"
    "int top(int a) { return a; }\n"
    "namespace ns {\n"
    "struct A { int x; A(int v); ~A(); int get(int); int operator()(int, int); int operator[](int);\n"
    "  int operator,(int); bool operator<(const A &); A *operator->(); operator long(); template <class T> T conv(T); "
    "};\n"
    "A::A(int v) : x(v) {} A::~A() {} int A::get(int a) { return a; } int A::operator()(int a, int) { return a; }\n"
    "int A::operator[](int a) { return a; } int A::operator,(int a) { return a; }\n"
    "bool A::operator<(const A &o) { return x < o.x; } A *A::operator->() { return this; }\n"
    "A::operator long() { return x; } template <class T> T A::conv(T t) { return t; } template long "
    "A::conv<long>(long);\n"
    "template <class T, class U> struct pair { T t; U u; T first(); };\n"
    "template <class T, class U> T pair<T, U>::first() { return t; } template struct pair<int, double>;\n"
    "template <class T> T free(T a) { return a; } template int free<int>(int);\n"
    "template <class T> int operator<<(A &, T) { return 1; } template int operator<< <int>(A &, int);\n"
    "}\n"
    "namespace { __attribute__((used)) int anon(int a) { return a; } }\n"
    "int caller(long a) { struct local { int x; int call() { return x; } } l{3};\n"
    "  auto m = [&](int k) { return k + l.x; }; return m(int(a)) + l.call(); }\n";

Test(gcc_exclusion, items_are_the_part_that_gcc_prints_alike)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *item = gcc_item(names[i].linkage);
        cr_expect_str_eq(item, names[i].item, "%s: %s", names[i].linkage, item);
        free(item);
    }
}

/* Functions of the source that call the hook, one a line, with these arguments. */
static char *instrumented(const char *arguments)
{
    static char text[1 << 16];
    cr_assert(
        compiled_run("g++ -O0 -finstrument-functions %s -S s.cc -o s.s && awk '/@function/ { sub(/,.*/, \"\", $2); "
                     "name = $2 } /call.*__cyg_profile_func_enter/ { print name }' s.s >list",
                     arguments),
        "%s", arguments);
    FILE *file = fopen(compiled_path("list"), "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at += length)
        if ((at == text || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

/* For each item: of all functions, gcc leaves out those whose visible name has it, through a response file as well. */
Test(gcc_exclusion, gcc_agrees)
{
    compiled_source("s.cc", source);
    char *all = strdup(instrumented(""));
    for (size_t i = 2; i < sizeof names / sizeof *names; i++)
        cr_assert(has_line(all, names[i].linkage) || strstr(names[i].linkage, "D1Ev") ||
                      /* gcc 16 writes an L */
                      (strstr(names[i].linkage, "_GLOBAL__N_1") && has_line(all, "_ZN12_GLOBAL__N_1L4anonEi")),
                  "%s is not in:\n%s", names[i].linkage, all);
    for (size_t i = 2; i < sizeof names / sizeof *names; i++) {
        char *text = gcc_list_text(names[i].item), *argument = NULL;
        cr_assert(asprintf(&argument, GCC_FUNCTION_LIST "%s", text) > 0);
        char *word = response_word(argument), *shell = shell_word(argument);
        compiled_source("args", word);
        char *left = strdup(instrumented("@args"));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char *visible = gcc_visible_name(names[k].linkage);
            if (has_line(all, names[k].linkage))
                cr_expect_eq(!has_line(left, names[k].linkage), strstr(visible, names[i].item) != NULL, "%s for %s",
                             word, names[k].linkage);
            free(visible);
        }
        cr_expect_str_eq(instrumented(shell), left, "%s", shell);
        free(left);
        free(shell);
        free(word);
        free(argument);
        free(text);
    }
    free(all);
}
