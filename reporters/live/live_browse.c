/* The browser on the terminal: keys, snapshots in turn, until the user leaves. */
#include "reporters/annotate/annotate_text.h"
#include "reporters/base/message.h"
#include "reporters/live/live_run.h"
#include "reporters/live/screen.h"
#include "reporters/report/report_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define READING_SHARE 4 /* reading takes at most a fifth of a processor: it waits so many times as long as it took */
#define CONTEXT_LINES 4

struct browsing {
    const struct live_options *options;
    struct live_source source;
    struct browser browser;
    struct live_snapshot *before, *now;
    double next;  /* CLOCK_MONOTONIC, seconds: of the next reading */
    bool running; /* by the last snapshot */
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A snapshot of what the browser shows now. False: out of memory; what cannot be read stays as it was. */
static bool read_now(struct browsing *g, bool other)
{
    char error[1024];
    double begin = seconds_now();
    struct live_snapshot *s = live_snapshot_take(&g->source, error, sizeof error);
    double end = seconds_now(), pause = READING_SHARE * (end - begin);
    g->next = end + (pause > g->options->interval ? pause : g->options->interval);
    if (!s) {
        browser_say(&g->browser, "%s", error);
        return true;
    }
    struct live_snapshot *before = other ? NULL : g->now;
    if (!browser_update(&g->browser, before, s)) {
        live_snapshot_free(s);
        return false;
    }
    live_snapshot_free(g->before);
    if (other)
        live_snapshot_free(g->now);
    g->before = before;
    g->now = s;
    if (g->running && !s->running) {
        g->browser.totals = true;
        browser_say(&g->browser, "the program has %s: totals of the run (r: its last rates)",
                    s->killed ? "been killed" : "ended");
        g->running = false;
        return browser_update(&g->browser, g->before, g->now);
    }
    g->running = s->running;
    return true;
}

/* The annotated source of the selected function, over the list. */
static bool show_source(struct browsing *g)
{
    char *text = NULL, error[1024], *title = NULL;
    size_t size;
    uint32_t selected = browser_function(&g->browser), function = LIVE_NONE;
    struct call_tree_options options = {.process = g->source.process,
                                        .thread = g->source.thread,
                                        .rank = -1,
                                        .model = -1,
                                        .names = (enum name_form)g->source.names,
                                        .want_lines = true};
    struct call_tree *tree = report_read(g->source.dir, &options, error, sizeof error);
    uint32_t *matches = tree ? live_match_functions(g->now->tree, tree) : NULL;
    for (size_t i = 0; matches && i < tree->function_count; i++)
        if (matches[i] == selected)
            function = (uint32_t)i;
    struct annotation *a = function != LIVE_NONE ? annotation_make(tree, g->source.dir, false) : NULL;
    FILE *out = a ? open_memstream(&text, &size) : NULL;
    bool written = out && annotate_text(a, &function, 1, CONTEXT_LINES, out) == 0, ok = true;
    if (written && a->note)
        fprintf(out, "note: %s\n", a->note);
    if (written && !(a->samples > 0))
        fprintf(out, "note: no samples of the call stack: times are of functions, not of lines\n");
    written = out && !fclose(out) && written;
    if (written && asprintf(&title, "%s: totals of the run", tree->functions[function].name) > 0)
        ok = browser_show_text(&g->browser, title, text);
    else
        browser_say(&g->browser, "the source cannot be shown");
    free(title);
    free(text);
    annotation_free(a);
    free(matches);
    call_tree_free(tree);
    return ok;
}

static bool draw(struct browsing *g)
{
    struct browser_page page;
    size_t width, height;
    screen_size(&width, &height);
    if (!browser_page_make(&page, &g->browser, width, height))
        return false;
    screen_draw(&page);
    browser_page_free(&page);
    return true;
}

static bool act(struct browsing *g, enum browser_action action)
{
    if (action == BROWSER_SOURCE)
        return show_source(g);
    if (action != BROWSER_READ)
        return true;
    bool other = g->source.thread != g->browser.thread;
    g->source.thread = g->browser.thread;
    return read_now(g, other);
}

static bool browse(struct browsing *g)
{
    for (;;) {
        bool ok = draw(g), reads = g->running && !g->browser.frozen;
        double left = reads ? g->next - seconds_now() : 3600;
        int key = ok ? screen_key(left) : SCREEN_GONE;
        if (!ok || key == SCREEN_GONE)
            return ok;
        if (key == SCREEN_TIMEOUT) {
            if (reads && seconds_now() >= g->next && !read_now(g, false))
                return false;
            continue;
        }
        enum browser_action action = browser_press(&g->browser, key, &ok);
        if (!ok || action == BROWSER_LEAVE)
            return ok;
        if (!act(g, action))
            return false;
    }
}

int live_run_browse(const struct live_options *o)
{
    char error[1024];
    struct browsing g = {.options = o, .source = o->source};
    g.browser.order = o->order;
    g.now = live_snapshot_take(&g.source, error, sizeof error);
    if (!g.now)
        return message_failure("%s", error);
    g.running = g.now->running;
    g.browser.totals = o->totals || !g.running;
    g.next = seconds_now() + o->interval;
    if (!g.running && !o->totals)
        browser_say(&g.browser, "the program has %s: totals of the run", g.now->killed ? "been killed" : "ended");
    bool ok = browser_update(&g.browser, NULL, g.now);
    if (ok && !screen_open(error, sizeof error)) {
        message_failure("%s: %s", o->command, error);
        live_snapshot_free(g.now);
        browser_free(&g.browser);
        return STATUS_BAD;
    }
    ok = ok && browse(&g);
    browser_free(&g.browser);
    live_snapshot_free(g.before);
    live_snapshot_free(g.now);
    screen_close();
    return ok ? STATUS_DONE : message_no_memory(o->command);
}
