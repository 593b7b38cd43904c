/* The browser without a terminal: keys in, lines out. */
#include "reporters/base/text.h"
#include "reporters/live/browser.h"
#include "reporters/live/browser_page.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#define NONE UINT32_MAX
enum { FUNCTIONS = 40 };

static char exe[] = "/bin/prog", file[] = "d/1-0.pcomp", names[FUNCTIONS][64];
static struct tree_function functions[FUNCTIONS];
static struct tree_node nodes[4];
static struct tree_thread threads[2];
static struct tree_process process;
static struct call_tree tree;
static struct live_snapshot snapshot;
static struct browser b;

/* f1 > f2 > f3; f4 ... are on no path; f5 has a name of wide and combining characters. */
static void begin(void)
{
    snprintf(names[0], sizeof names[0], "[root]");
    for (int i = 0; i < FUNCTIONS; i++) {
        if (i)
            snprintf(names[i], sizeof names[i], "f%d", i);
        functions[i] = (struct tree_function){.name = names[i],
                                              .linkage_name = names[i],
                                              .module = exe,
                                              .calls = (uint64_t)i,
                                              .level = LEVEL_TIMED,
                                              .exclusive = {.raw = 1e9 / (i + 1), .compensated = 1e9 / (i + 1)}};
    }
    snprintf(names[5], sizeof names[5], "計算する関数計算する関数計算する関数e\xcc\x81");
    for (uint32_t i = 0; i < 4; i++)
        nodes[i] = (struct tree_node){
            .function = i, .parent = i ? i - 1 : NONE, .first_child = i < 3 ? i + 1 : NONE, .next_sibling = NONE};
    threads[0] = (struct tree_thread){.pid = 1, .tid = 1, .wall = 2e9, .name = "main", .live = true};
    threads[1] = (struct tree_thread){.pid = 1, .tid = 8, .wall = 1e9, .name = "worker", .live = true};
    process = (struct tree_process){.pid = 1, .executable = exe, .file = file, .live = true};
    tree = (struct call_tree){.processes = &process,
                              .process_count = 1,
                              .threads = threads,
                              .thread_count = 2,
                              .functions = functions,
                              .function_count = FUNCTIONS,
                              .nodes = nodes,
                              .node_count = 4,
                              .knows_waiting = true};
    snapshot = (struct live_snapshot){.tree = &tree, .running = 1};
    cr_assert(browser_update(&b, NULL, &snapshot));
}

static void end(void)
{
    if (snapshot.has_edges)
        call_edges_free(&snapshot.edges);
    browser_free(&b);
}

TestSuite(browser, .init = begin, .fini = end);

static enum browser_action press(int key)
{
    bool ok;
    enum browser_action action = browser_press(&b, key, &ok);
    cr_assert(ok);
    return action;
}

static void type(const char *keys)
{
    while (*keys)
        press(*keys++);
    press(BROWSER_KEY_ENTER);
}

static const char *selected(void)
{
    return b.rows.list[b.selected].name;
}

Test(browser, a_page_fits_any_terminal)
{
    static const size_t widths[] = {1, 5, 20, 40, 79, 80, 81, 200};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t height = 1; height < 60; height++)
            for (int view = 0; view < 3; view++) {
                struct browser_page page;
                if (view == 2)
                    cr_assert(browser_help(&b));
                b.selected = view == 1 ? b.rows.count - 1 : 0;
                cr_assert(browser_page_make(&page, &b, widths[w], height));
                cr_expect(eq(sz, page.count, height), "%zu x %zu: %zu lines", widths[w], height, page.count);
                bool shown = false;
                for (size_t i = 0; i < page.count; i++) {
                    cr_expect(le(sz, text_columns(page.lines[i].text), widths[w]));
                    shown |= page.lines[i].style == BROWSER_SELECTED;
                }
                cr_expect(eq(int, shown, view != 2 && height > 0), "%zu x %zu: no row is selected", widths[w], height);
                browser_page_free(&page);
                b.view = BROWSER_FUNCTIONS;
            }
}

Test(browser, columns_of_wide_names_stand_where_others_do)
{
    struct browser_page page;
    cr_assert(browser_page_make(&page, &b, 80, 24));
    for (size_t i = 0; i < page.count; i++)
        if (strstr(page.lines[i].text, "計"))
            cr_expect(ge(sz, text_columns(page.lines[i].text), 79), "cut to the width, with the ellipsis");
    browser_page_free(&page);
}

Test(browser, the_selection_stays_with_its_function)
{
    cr_expect(eq(str, (char *)selected(), "f1"));
    press(BROWSER_KEY_DOWN);
    press(BROWSER_KEY_DOWN);
    cr_expect(eq(str, (char *)selected(), "f3"));
    functions[3].exclusive.compensated = 1;
    cr_assert(browser_update(&b, NULL, &snapshot));
    cr_expect(eq(str, (char *)selected(), "f3"));
    press(BROWSER_KEY_HOME);
    functions[7].exclusive.compensated = 7e9;
    cr_assert(browser_update(&b, NULL, &snapshot));
    cr_expect(eq(str, (char *)selected(), "f7"), "at the top it stays there");
}

Test(browser, search_goes_on_and_around)
{
    press('/');
    type("F3");
    cr_expect(eq(str, (char *)selected(), "f3"));
    press('n');
    cr_expect(eq(str, (char *)selected(), "f30"));
    press('N');
    press('N');
    cr_expect(eq(str, (char *)selected(), "f39"));
    press('/');
    type("nosuch");
    cr_expect(eq(str, b.message, "nosuch: not found"));
    press('/');
    press(BROWSER_KEY_BACKSPACE);
    cr_expect(eq(int, b.prompt, 0), "backspace leaves an empty prompt");
}

Test(browser, a_filter_shows_what_matches_until_escape)
{
    press('\\');
    type("f2");
    cr_expect(eq(sz, b.rows.count, 11));
    press(BROWSER_KEY_ESCAPE);
    cr_expect(eq(sz, b.rows.count, FUNCTIONS - 1));
    press('\\');
    press(0xe9); /* é, as two bytes */
    press('x');
    press(BROWSER_KEY_BACKSPACE);
    cr_expect(eq(str, b.typed, "\xc3\xa9"));
    press(BROWSER_KEY_BACKSPACE);
    cr_expect(eq(str, b.typed, ""));
}

Test(browser, enter_leads_to_callers_and_callees_and_escape_back)
{
    press(BROWSER_KEY_DOWN);
    press(BROWSER_KEY_ENTER);
    cr_assert(eq(sz, b.rows.count, 3));
    cr_expect(eq(str, (char *)b.rows.list[0].name, "f1"));
    cr_expect(eq(int, b.rows.list[1].kind, LIVE_ROW_SELF));
    cr_expect(eq(str, (char *)b.rows.list[2].name, "f3"));
    press(BROWSER_KEY_ENTER); /* f1 */
    cr_expect(eq(str, (char *)b.rows.list[0].name, "[start of a thread]"));
    press(BROWSER_KEY_ESCAPE);
    cr_expect(eq(str, (char *)b.rows.list[0].name, "f1"));
    press(BROWSER_KEY_ESCAPE);
    cr_expect(eq(int, b.view, BROWSER_FUNCTIONS));
    cr_expect(eq(int, press('q'), BROWSER_LEAVE));
}

Test(browser, a_thread_is_entered_and_left)
{
    press('t');
    cr_expect(eq(sz, b.rows.count, 2));
    press(BROWSER_KEY_DOWN);
    cr_expect(eq(int, press(BROWSER_KEY_ENTER), BROWSER_READ));
    cr_expect(eq(int, b.thread, 8));
    cr_expect(eq(int, press(BROWSER_KEY_ESCAPE), BROWSER_READ));
    cr_expect(eq(int, b.thread, 0));
}

Test(browser, keys_sort_and_switch)
{
    press('K');
    cr_expect(eq(str, (char *)b.rows.list[0].name, "f39"));
    press('I');
    cr_expect(eq(str, (char *)b.rows.list[0].name, "f1"));
    press('I');
    press('F');
    cr_expect(eq(str, (char *)b.rows.list[0].name, "f1"));
    press('>');
    cr_expect(eq(int, b.order.by, LIVE_BY_COMPUTING));
    press('<');
    cr_expect(eq(int, b.order.by, LIVE_BY_NAME));
    press('c');
    cr_expect(b.order.raw);
    cr_expect(eq(int, press('a'), BROWSER_SOURCE));
    cr_expect(eq(int, press('?'), BROWSER_DONE));
    cr_expect(eq(int, b.view, BROWSER_TEXT));
    cr_expect(eq(int, press('q'), BROWSER_DONE), "q leaves the text alone");
    cr_expect(eq(int, b.view, BROWSER_FUNCTIONS));
    cr_expect(eq(int, press(BROWSER_KEY_QUIT), BROWSER_LEAVE));
}

Test(browser, a_text_has_no_tabs_and_no_control_characters)
{
    cr_assert(browser_show_text(&b, "t", "a\tb\n\x1b[31mred\n"));
    cr_assert(eq(sz, b.line_count, 2));
    cr_expect(eq(str, b.lines[0], "a       b"));
    cr_expect(eq(ptr, (void *)strchr(b.lines[1], 0x1b), NULL));
}
