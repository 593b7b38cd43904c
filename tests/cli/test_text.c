/* Text for people: units, cleaning, fitting. */
#include "reporters/base/text.h"
#include "reporters/base/text_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char buffer[TEXT_NUMBER];

Test(text, times_have_a_unit_and_four_digits)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {1, "1 ns"},
        {24.6, "24.60 ns"},
        {999, "999 ns"},
        {999.97, "1.000 µs"},
        {1000, "1.000 µs"},
        {9999.6, "10.00 µs"},
        {123456, "123.5 µs"},
        {999960, "1.000 ms"},
        {1e6, "1.000 ms"},
        {-1234567, "-1.235 ms"},
        {5e9, "5.000 s"},
        {123456e9, "123456 s"},
        {-0.0001, "0.00 ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect(eq(str, text_time(buffer, cases[i].ns), (char *)cases[i].text));
}

Test(text, unknown_times_are_a_dash_and_huge_ones_fit)
{
    cr_expect(eq(str, text_time(buffer, NAN), "-"));
    cr_expect(lt(sz, strlen(text_time(buffer, 1e300)), TEXT_NUMBER));
    cr_expect(lt(sz, strlen(text_time(buffer, -INFINITY)), TEXT_NUMBER));
    cr_expect(lt(sz, strlen(text_percent(buffer, 1e300)), TEXT_NUMBER));
    cr_expect(eq(str, text_percent(buffer, -1e-6), "0.0 %"));
    cr_expect(eq(str, text_percent_signed(buffer, -1e-6), "-0.0 %")); /* beside a time that has a sign */
    cr_expect(eq(str, text_percent_signed(buffer, 1e-6), "+0.0 %"));
    cr_expect(lt(sz, strlen(text_count_short(buffer, 1e300)), TEXT_NUMBER));
    cr_expect(lt(sz, strlen(text_real(buffer, -1e300)), TEXT_NUMBER));
}

Test(text, signed_times_show_the_sign_of_a_change)
{
    cr_expect(eq(str, text_time_signed(buffer, 1500), "+1.500 µs"));
    cr_expect(eq(str, text_time_signed(buffer, -1500), "-1.500 µs"));
    cr_expect(eq(str, text_time_signed(buffer, 0), "0 ns"));
}

Test(text, uncertainties_have_two_digits_and_are_never_shown_too_small)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {{0, "0 ns"},     {0.811, "0.82 ns"}, {7.6502e6, "7.7 ms"}, {36.19, "37 ns"}, {99.5, "100 ns"},
                 {1.0, "1.0 ns"}, {761300, "770 µs"}, {2088368, "2.1 ms"},  {995e6, "1.0 s"}, {12e9, "12 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect(eq(str, text_uncertainty(buffer, cases[i].ns), (char *)cases[i].text));
}

Test(text, counts_are_exact_and_grouped)
{
    cr_expect(eq(str, text_count(buffer, 0), "0"));
    cr_expect(eq(str, text_count(buffer, 999), "999"));
    cr_expect(eq(str, text_count(buffer, 1000), "1,000"));
    cr_expect(eq(str, text_count(buffer, UINT64_MAX), "18,446,744,073,709,551,615"));
    cr_expect(eq(str, text_count_short(buffer, 12345678), "12.35 M"));
}

Test(text, calls_have_their_interval)
{
    char line[TEXT_CALLS];
    cr_expect(eq(str, text_calls(line, 1, 0), "1 call"));
    cr_expect(eq(str, text_calls(line, 1234, 0), "1234 calls"));
    cr_expect(eq(str, text_calls(line, 145945502, 24100000), "145.9 M ± 25 M calls"));
    cr_expect(eq(str, text_calls(line, 145945502, 2310000), "145.9 M ± 2.4 M calls"));
    cr_expect(eq(str, text_calls(line, 145945502, 99100000), "145.9 M ± 100 M calls"));
    cr_expect(eq(str, text_calls(line, 20000, 9960), "20.00 k ± 10 k calls"));
    cr_expect(eq(str, text_calls(line, 5000, 7.5), "5000 ± 8 calls"));
    cr_expect(eq(str, text_calls(line, 2100023, 18.6), "2,100,023 ± 19 calls"));
    cr_expect(eq(str, text_calls(line, 30221120, 139003912), "<170 M calls"));
    cr_expect(lt(sz, strlen(text_calls(line, 1e300, 1e299)), TEXT_CALLS));
}

Test(text, wide_characters_take_two_columns_and_combining_ones_none)
{
    cr_expect(eq(sz, text_columns("plain"), 5));
    cr_expect(eq(sz, text_columns("µ ±"), 3));
    cr_expect(eq(sz, text_columns("漢字"), 4));
    cr_expect(eq(sz, text_columns("e\xcc\x81"), 1));
    cr_expect(eq(sz, text_columns("\xe0\xa4\x95\xe0\xa5\x8d"), 1)); /* Devanagari with a virama */
    cr_expect(eq(sz, text_prefix("漢字", 3), 3));
    cr_expect(eq(sz, text_prefix("e\xcc\x81x", 1), 3));
}

static void assert_cut(const char *text, size_t columns, const char *expected)
{
    char *cut = text_cut(text, columns, "…");
    cr_expect(eq(str, cut, (char *)expected));
    cr_expect(le(sz, text_columns(cut), columns));
    free(cut);
}

Test(text, long_names_are_cut_in_their_middle)
{
    assert_cut("short", 10, "short");
    assert_cut("a_name_without_any_scope", 11, "a_nam…scope");
    assert_cut("store::detail::table<...>::insert_unique", 20, "store:…insert_unique");
    assert_cut("main > run > loop > handle_request", 20, "main …handle_request");
    assert_cut("std::operator<< <...>", 12, "std::o…<...>");
    assert_cut("漢字漢字漢字", 7, "漢…字");
    assert_cut("anything", 1, "a");
}

Test(text, cleaning_keeps_text_and_replaces_controls)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"Größe λ 漢字 😀", "Größe λ 漢字 😀"},
        {"a\033[31mb", "a\xef\xbf\xbd[31mb"},
        {"a\nb\tc\x7f", "a\xef\xbf\xbd"
                        "b\xef\xbf\xbd"
                        "c\xef\xbf\xbd"},
        {"\xc2\x9b"
         "31m", /* C1 control */
         "\xef\xbf\xbd\xef\xbf\xbd"
         "31m"},
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xe2\x80\xae", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* right-to-left override */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *clean = text_clean(cases[i].from);
        cr_expect(eq(str, clean, (char *)cases[i].to));
        free(clean);
    }
}

Test(text, columns_count_letters_not_bytes)
{
    cr_expect(eq(sz, text_columns("µs ±"), 4));
    cr_expect(eq(sz, text_columns("e\xcc\x81"), 1)); /* combining accent */
    cr_expect(eq(sz, text_prefix("µµµ", 2), 4));
}

Test(text, distance_finds_slips)
{
    cr_expect(eq(u32, text_distance("reprot", "report"), 2));
    cr_expect(eq(u32, text_distance("", "abc"), 3));
    cr_expect(eq(u32, text_distance("same", "same"), 0));
}

/* What text_table_write writes for a table of two columns and a name, at a width. malloc'ed. */
static char *write_table(size_t width, const char *name)
{
    static const struct text_column columns[] = {
        {"times", "raw", false, 2}, {"times", "compensated", false, 1}, {NULL, "function", true, 0}};
    struct text_table *table = text_table_new(columns, 3, width, false);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(table && out);
    cr_assert(text_table_cell(table, "1 ns") && text_table_cell(table, "22 ns") && text_table_cell(table, name));
    text_table_write(table, out);
    text_table_free(table);
    fclose(out);
    return text;
}

Test(text_table, nothing_is_cut_without_a_width)
{
    char *text = write_table(0, "a_name_that_is_longer_than_any_terminal_should_have_to_show_in_one_line");
    cr_expect(eq(str, text,
                 "      times\n"
                 " raw  compensated  function\n"
                 "1 ns        22 ns  a_name_that_is_longer_than_any_terminal_should_have_to_show_in_one_line\n"));
    free(text);
}

Test(text_table, columns_go_before_names_are_cut)
{
    char *text = write_table(44, "a_name_that_is_longer_than_any_terminal");
    cr_expect(eq(str, text,
                 "   times\n"
                 "compensated  function\n"
                 "      22 ns  a_name_that_is_…an_any_terminal\n"));
    free(text);
}

Test(text, lines_break_between_words)
{
    char fits[] = "as wide as that", some[] = "one two three", wide[] = "a-very-long-word and more", none[] = "one two";
    text_break_lines(fits, 15);
    cr_assert_str_eq(fits, "as wide as that");
    text_break_lines(some, 7);
    cr_assert_str_eq(some, "one two\nthree");
    text_break_lines(wide, 8);
    cr_assert_str_eq(wide, "a-very-long-word\nand more");
    text_break_lines(none, 0);
    cr_assert_str_eq(none, "one two");
}
