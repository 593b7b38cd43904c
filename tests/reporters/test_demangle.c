#include "reporters/symbols/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_demangled(const char *linkage, enum name_form form, const char *expected)
{
    char *name = demangle(linkage, form);
    cr_assert_not_null(name, "%s", linkage);
    cr_expect_str_eq(name, expected);
    free(name);
}

Test(demangle, gives_names_with_parameters)
{
    assert_demangled("_ZN3foo3barEi", NAMES_FULL, "foo::bar(int)");
    assert_demangled("_Z3fooi.constprop.0", NAMES_FULL, "foo(int) [clone .constprop.0]");
    assert_demangled("_Z3addIiEvT_S0_", NAMES_FULL, "void add<int>(int, int)");
}

Test(demangle, gives_names_with_scopes_alone)
{
    assert_demangled("_ZN3foo3barEi", NAMES_SCOPE, "foo::bar");
    assert_demangled("_Z3addIiEvT_S0_", NAMES_SCOPE, "add<int>");
}

Test(demangle, leaves_c_names_alone)
{
    for (int form = NAMES_SHORT; form <= NAMES_SCOPE; form++) {
        cr_expect_null(demangle("main", (enum name_form)form));
        cr_expect_null(demangle("_start", (enum name_form)form));
        cr_expect_null(demangle("_Znot mangled", (enum name_form)form));
    }
}

Test(demangle, does_not_try_endless_symbols)
{
    char *linkage = malloc(100001);
    memset(linkage, 'P', 100000);
    linkage[100000] = 0;
    memcpy(linkage, "_Z1f", 4);
    cr_assert_null(demangle(linkage, NAMES_SHORT));
    free(linkage);
}

Test(demangle, short_names_have_no_parameters_and_folded_templates)
{
    static const char *const cases[][2] = {
        {"_ZN3foo3barEi", "foo::bar"},
        {"_ZNK3foo3barEi", "foo::bar"},
        {"_Z3fooi.constprop.0", "foo"},
        {"_Z3addIiEvT_S0_", "add<...>"},
        {"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<...>::push_back"},
        {"_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEE2atERS6_", "std::map<...>::at"},
        {"_ZN3BoxIiEC2Ev", "Box<...>::Box"},
        {"_ZN3BoxIiED2Ev", "Box<...>::~Box"},
        {"_ZN1aIiEltIcEEbT_", "a<...>::operator< <...>"},
        {"_ZN1alsEi", "a::operator<<"},
        {"_ZNK1aptEv", "a::operator->"},
        {"_ZZ4mainENKUlicE_clEic", "main::{lambda(...)#1}::operator()"},
        {"_ZZN3BoxIiE4openEiE5count", "Box<...>::open::count"},
        {"___Z3fooi", "foo"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_demangled(cases[i][0], NAMES_SHORT, cases[i][1]);
}
