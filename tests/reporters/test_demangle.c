#include "reporters/demangle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void assert_demangled(const char *linkage, bool shorter, const char *expected)
{
    char *name = demangle(linkage, shorter);
    cr_assert_not_null(name, "%s", linkage);
    cr_assert_str_eq(name, expected);
    free(name);
}

Test(demangle, gives_names_with_parameters)
{
    assert_demangled("_ZN3foo3barEi", false, "foo::bar(int)");
    assert_demangled("_Z3fooi.constprop.0", false, "foo(int) [clone .constprop.0]");
}

Test(demangle, leaves_c_names_alone)
{
    cr_assert_null(demangle("main", false));
    cr_assert_null(demangle("_start", false));
    cr_assert_null(demangle("_Znot mangled", false));
}

Test(demangle, does_not_try_endless_symbols)
{
    char *linkage = malloc(100001);
    memset(linkage, 'P', 100000);
    linkage[100000] = 0;
    memcpy(linkage, "_Z1f", 4);
    cr_assert_null(demangle(linkage, false));
    free(linkage);
}

Test(demangle, shortens_template_arguments_on_request)
{
    const char *vector = "_ZNSt6vectorIiSaIiEE9push_backEOi";
    assert_demangled(vector, false, "std::vector<int, std::allocator<int> >::push_back(int&&)");
    assert_demangled(vector, true, "std::vector<...>::push_back(int&&)");
}

static void assert_shortened(const char *name, const char *expected)
{
    char text[256];
    strcpy(text, name);
    demangle_shorten(text);
    cr_assert_str_eq(text, expected);
}

Test(demangle, tells_operators_from_brackets)
{
    assert_shortened("operator<<(a<b, c>&, d)", "operator<<(a<...>&, d)");
    assert_shortened("x::operator->() const", "x::operator->() const");
    assert_shortened("operator< <first, second>(a, b)", "operator< <...>(a, b)");
    assert_shortened("bool operator<=><first, second>(a)", "bool operator<=><...>(a)");
    assert_shortened("myoperator<long, name>()", "myoperator<...>()");
}

Test(demangle, shortens_nested_arguments_once)
{
    assert_shortened("a<b<c<d> >, e<f> >::g<h, i, j>()", "a<...>::g<...>()");
    assert_shortened("f<int>()", "f<int>()"); /* not shorter */
    assert_shortened("unbalanced<a, b, c", "unbalanced<a, b, c");
}
