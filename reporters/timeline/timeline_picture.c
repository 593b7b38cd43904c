#include "reporters/timeline/timeline_picture.h"

#include "reporters/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 16,
    TITLE = 34,       /* height of the picture's title */
    PANEL_TITLE = 26, /* of a panel's */
    PANEL_GAP = 14,
    AXIS = 44,
    LEGEND_LINE = 20,
    TRACKS = 420, /* height that a panel's rows share, when they are many */
    TRACK_MAX = 26,
    NAME_COLUMNS = 24, /* of a location's name */
    LEGEND_COLUMNS = 40
};

static const uint32_t colours[TIMELINE_COLOURS] = {0x0072b2, 0xe69f00, 0x009e73, 0x56b4e9,
                                                   0xd55e00, 0xcc79a7, 0xf0e442};
static const uint32_t link_colours[] = {0x000000, 0x7a0000, 0x7a0000, 0x505050};
enum { COLOUR_OTHERS = 0x8c8c8c, COLOUR_OUTSIDE = 0xdcdcdc, COLOUR_FLUSH = 0x000000, COLOUR_INK = 0x202020 };

static const struct canvas_text small = {.size = 11, .colour = COLOUR_INK};
static const struct canvas_text small_right = {.size = 11, .colour = COLOUR_INK, .anchor = CANVAS_RIGHT};
static const struct canvas_text small_middle = {.size = 11, .colour = COLOUR_INK, .anchor = CANVAS_MIDDLE};
static const struct canvas_text heading = {.size = 12.5, .colour = COLOUR_INK, .bold = true};
static const struct canvas_text heading_right = {.size = 12.5, .colour = COLOUR_INK, .anchor = CANVAS_RIGHT};
static const struct canvas_text title = {.size = 15, .colour = COLOUR_INK, .bold = true};

/* A clean text cut to so many columns. */
static const char *cut(char *buffer, size_t size, const char *text, size_t columns)
{
    char *clean = text_clean(text);
    bool fits = clean && text_columns(clean) <= columns;
    int length = clean ? (int)(fits ? strlen(clean) : text_prefix(clean, columns - 1)) : 0;
    snprintf(buffer, size, "%.*s%s", length, clean ? clean : "", fits ? "" : "…");
    free(clean);
    return buffer;
}

/* Pixels from row to row. */
static double pitch_of(uint32_t rows)
{
    double pitch = rows ? (double)TRACKS / rows : TRACK_MAX;
    return pitch > TRACK_MAX ? TRACK_MAX : pitch < 1 ? 1 : floor(pitch);
}

static double panel_height(const struct timeline_panel *panel)
{
    return PANEL_TITLE + panel->rows.rows * pitch_of(panel->rows.rows) + PANEL_GAP;
}

static double names_width(const struct timeline_panel *panels, uint32_t panel_count)
{
    double widest = 40;
    char name[200];
    for (uint32_t i = 0; i < panel_count; i++)
        for (uint32_t k = 0; k < panels[i].traces->count; k++) {
            double width = canvas_text_width(cut(name, sizeof name, panels[i].traces->locations[k].name, NAME_COLUMNS),
                                             small.size);
            widest = width > widest ? width : widest;
        }
    return ceil(widest);
}

uint32_t timeline_columns(unsigned width, const struct timeline_panel *panels, uint32_t panel_count)
{
    double columns = width - 2.0 * MARGIN - names_width(panels, panel_count) - 8;
    return columns < 64 ? 64 : (uint32_t)columns;
}

/* --- Colours --- */

struct ranked {
    double time;
    uint32_t function;
};

static int compare_ranked(const void *x, const void *y)
{
    const struct ranked *p = x, *q = y;
    if (p->time != q->time)
        return p->time > q->time ? -1 : 1;
    return p->function < q->function ? -1 : p->function > q->function;
}

static bool choose_colours(struct timeline_picture *picture)
{
    uint32_t count = trace_functions_count(picture->functions);
    struct ranked *ranked = calloc(count + (size_t)1, sizeof *ranked);
    if (!ranked)
        return false;
    for (uint32_t i = 0; i < count; i++)
        ranked[i].function = i;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        for (uint32_t k = 0; k < picture->panels[i].rows.time_count && k < count; k++)
            ranked[k].time += picture->panels[i].rows.times[k];
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    picture->coloured_count = 0;
    while (picture->coloured_count < TIMELINE_COLOURS && picture->coloured_count < count &&
           ranked[picture->coloured_count].time > 0) {
        picture->coloured[picture->coloured_count] = ranked[picture->coloured_count].function;
        picture->coloured_count++;
    }
    free(ranked);
    return true;
}

static uint32_t colour_of(const struct timeline_picture *picture, uint32_t cell)
{
    switch (cell) {
    case TIMELINE_OUTSIDE:
        return COLOUR_OUTSIDE;
    case TIMELINE_WAITING:
        return CANVAS_HATCHED;
    case TIMELINE_FLUSH:
        return COLOUR_FLUSH;
    default:
        break;
    }
    for (uint32_t i = 0; i < picture->coloured_count; i++)
        if (picture->coloured[i] == cell - TIMELINE_FUNCTION)
            return colours[i];
    return COLOUR_OTHERS;
}

static void note_what_is_there(struct timeline_picture *picture, const struct timeline_rows *rows)
{
    for (size_t i = 0; i < (size_t)rows->rows * rows->columns; i++) {
        uint32_t cell = rows->cells[i] & ~TIMELINE_FLUSHED;
        picture->flushed |= rows->cells[i] & TIMELINE_FLUSHED || cell == TIMELINE_FLUSH;
        picture->outside |= cell == TIMELINE_OUTSIDE;
        picture->waiting |= cell == TIMELINE_WAITING;
        picture->others |= cell >= TIMELINE_FUNCTION && colour_of(picture, cell) == COLOUR_OTHERS;
    }
    for (uint32_t i = 0; i < rows->line_count; i++)
        picture->links[rows->lines[i].kind] = true;
}

/* --- Legend: laid out by the function that draws it --- */

struct legend {
    const struct timeline_picture *picture;
    struct canvas *canvas; /* NULL: only to see how high it gets */
    double x, y;
};

static void legend_place(struct legend *legend, const char *text)
{
    double width = 22 + canvas_text_width(text, small.size) + 18;
    if (legend->x > legend->picture->left && legend->x + width > legend->picture->right) {
        legend->x = legend->picture->left;
        legend->y += LEGEND_LINE;
    }
    if (legend->canvas)
        canvas_text(legend->canvas, legend->x + 22, legend->y + 10, &small, text);
    legend->x += width;
}

static void legend_box(struct legend *legend, uint32_t colour, const char *text)
{
    char name[400];
    cut(name, sizeof name, text, LEGEND_COLUMNS);
    double width = 22 + canvas_text_width(name, small.size) + 18;
    legend_place(legend, name);
    if (!legend->canvas)
        return;
    canvas_rectangle(legend->canvas, legend->x - width, legend->y, 16, 11, colour);
    if (colour == CANVAS_HATCHED)
        canvas_line(legend->canvas, legend->x - width, legend->y + 11, legend->x - width + 16, legend->y + 11, 0.7,
                    0xa8a8a8, 1);
}

static void legend_line(struct legend *legend, enum trace_link_kind kind, const char *text)
{
    double width = 22 + canvas_text_width(text, small.size) + 18;
    legend_place(legend, text);
    if (legend->canvas)
        canvas_line(legend->canvas, legend->x - width, legend->y + 10, legend->x - width + 16, legend->y + 1, 1.2,
                    link_colours[kind], 1);
}

static uint64_t widest_step(const struct timeline_picture *picture)
{
    uint64_t step = 1;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        step = picture->panels[i].rows.line_step > step ? picture->panels[i].rows.line_step : step;
    return step;
}

/* Returns y behind it. */
static double legend_lay(const struct timeline_picture *picture, struct canvas *canvas, double y)
{
    struct legend legend = {picture, canvas, picture->left, y};
    char text[160];
    for (uint32_t i = 0; i < picture->coloured_count; i++)
        legend_box(&legend, colours[i], trace_functions_name(picture->functions, picture->coloured[i]));
    if (picture->others)
        legend_box(&legend, COLOUR_OTHERS, "other functions");
    if (picture->outside)
        legend_box(&legend, COLOUR_OUTSIDE, "not instrumented");
    if (picture->waiting)
        legend_box(&legend, CANVAS_HATCHED, "waiting, synchronising, in a message");
    if (picture->flushed)
        legend_box(&legend, COLOUR_FLUSH, "flush of the trace");
    if (picture->links[TRACE_LINK_MESSAGE])
        legend_line(&legend, TRACE_LINK_MESSAGE, "message");
    if (picture->links[TRACE_LINK_BARRIER] || picture->links[TRACE_LINK_COLLECTIVE])
        legend_line(&legend, TRACE_LINK_BARRIER, "barrier or collective: from the one waited for");
    if (picture->links[TRACE_LINK_THREAD])
        legend_line(&legend, TRACE_LINK_THREAD, "thread created, joined");
    if (widest_step(picture) > 1) {
        snprintf(text, sizeof text, "(one line of every %llu is drawn)", (unsigned long long)widest_step(picture));
        legend_place(&legend, text);
    }
    const struct timeline_panel *panel = &picture->panels[0];
    if (panel->rows.rows < panel->traces->count) {
        snprintf(text, sizeof text, "(%u of %u locations are drawn)", panel->rows.rows, panel->traces->count);
        legend_place(&legend, text);
    }
    return legend.y + LEGEND_LINE;
}

/* --- The drawing --- */

static bool draw_row(const struct timeline_picture *picture, struct canvas *canvas, const struct timeline_rows *rows,
                     uint32_t row, double y, double height)
{
    const uint32_t *cells = rows->cells + (size_t)row * rows->columns;
    struct canvas_bar *bars = malloc(rows->columns * sizeof *bars);
    uint32_t done[TIMELINE_COLOURS + 8], done_count = 0;
    if (!bars)
        return false;
    for (uint32_t at = 0; at < rows->columns; at++) { /* each colour at its first appearance, with all its bars */
        uint32_t cell = cells[at] & ~TIMELINE_FLUSHED, colour = colour_of(picture, cell);
        bool seen = cell == TIMELINE_NOTHING;
        for (uint32_t i = 0; i < done_count; i++)
            seen |= done[i] == colour;
        if (seen)
            continue;
        size_t count = 0;
        for (uint32_t x = at; x < rows->columns; x++) {
            uint32_t here = cells[x] & ~TIMELINE_FLUSHED;
            if (here == TIMELINE_NOTHING || colour_of(picture, here) != colour)
                continue;
            if (count && bars[count - 1].x + bars[count - 1].width == picture->left + x)
                bars[count - 1].width++;
            else
                bars[count++] = (struct canvas_bar){picture->left + x, 1};
        }
        const char *tip = cell >= TIMELINE_FUNCTION && colour != COLOUR_OTHERS
                              ? trace_functions_name(picture->functions, cell - TIMELINE_FUNCTION)
                              : NULL;
        canvas->operations->bars(canvas, y, height, bars, count, colour, tip);
        done[done_count++] = colour;
    }
    size_t flushes = 0;
    for (uint32_t x = 0; x < rows->columns; x++)
        if (cells[x] & TIMELINE_FLUSHED)
            bars[flushes++] = (struct canvas_bar){picture->left + x, 2};
    if (flushes) /* also one that is no wider than a column is seen */
        canvas->operations->bars(canvas, y - (height > 8 ? 3 : 0), height > 8 ? height / 2 + 3 : height, bars, flushes,
                                 COLOUR_FLUSH, "flush of the trace");
    free(bars);
    return true;
}

static void draw_lines(const struct timeline_picture *picture, struct canvas *canvas, const struct timeline_rows *rows,
                       double y, double pitch)
{
    double opacity = rows->rows > 64 ? 0.12 : rows->line_count > 400 ? 0.35 : 0.75;
    for (uint32_t i = 0; i < rows->line_count; i++) {
        struct timeline_line line = rows->lines[i];
        double x[2] = {line.from_x, line.to_x}, rises[2] = {line.from_row + 0.5, line.to_row + 0.5};
        for (int k = 0; k < 2; k++) { /* clipped at both sides */
            double edge = x[k] < 0 ? 0 : rows->columns;
            if ((x[k] >= 0 && x[k] <= rows->columns) || x[0] == x[1])
                continue;
            rises[k] += (edge - x[k]) * (rises[1 - k] - rises[k]) / (x[1 - k] - x[k]);
            x[k] = edge;
        }
        canvas_line(canvas, picture->left + x[0], y + rises[0] * pitch, picture->left + x[1], y + rises[1] * pitch,
                    pitch > 8 ? 1 : 0.6, link_colours[line.kind], opacity);
    }
}

static void draw_names(const struct timeline_picture *picture, struct canvas *canvas,
                       const struct timeline_panel *panel, double y, double pitch)
{
    uint32_t every = pitch >= 12 ? 1 : (uint32_t)ceil(12 / pitch);
    for (uint32_t row = 0; row < panel->rows.rows; row += every) {
        char name[200];
        cut(name, sizeof name, panel->traces->locations[panel->rows.locations[row]].name, NAME_COLUMNS);
        canvas_text(canvas, picture->left - 8, y + row * pitch + (pitch >= 12 ? pitch / 2 : 4) + 4, &small_right, name);
    }
}

static bool draw_panel(const struct timeline_picture *picture, struct canvas *canvas,
                       const struct timeline_panel *panel, double y)
{
    double pitch = pitch_of(panel->rows.rows), gap = pitch >= 12 ? 5 : pitch >= 5 ? 1 : 0;
    char time[TEXT_NUMBER], text[200], share[TEXT_NUMBER];
    double first = picture->panels[0].span;
    text_time(time, panel->span);
    if (panel != &picture->panels[0] && first > 0)
        snprintf(text, sizeof text, "%s in all (%s)", time, text_percent_signed(share, panel->span / first - 1));
    else
        snprintf(text, sizeof text, "%s in all", time);
    canvas_text(canvas, picture->left, y + 17, &heading, panel->title);
    canvas_text(canvas, picture->right, y + 17, &heading_right, text);
    y += PANEL_TITLE;
    draw_names(picture, canvas, panel, y, pitch);
    for (uint32_t row = 0; row < panel->rows.rows; row++)
        if (!draw_row(picture, canvas, &panel->rows, row, y + row * pitch + gap / 2, pitch - gap))
            return false;
    draw_lines(picture, canvas, &panel->rows, y, pitch);
    double end = picture->left + (panel->span - picture->view.from) / (picture->view.to - picture->view.from) *
                                     (picture->right - picture->left);
    if (end > picture->left && end <= picture->right + 1)
        canvas_line(canvas, end, y - 4, end, y + panel->rows.rows * pitch + 4, 1.5, COLOUR_INK, 1);
    return true;
}

/* 1, 2 or 5 times a power of ten, so that ticks lie about so many pixels apart. */
static double tick_step(double span, double pixels, double apart)
{
    double min = span * apart / pixels, power = pow(10, floor(log10(min)));
    for (int i = 0; i < 3; i++)
        if (min <= power * (i ? i == 1 ? 2 : 5 : 1))
            return power * (i ? i == 1 ? 2 : 5 : 1);
    return 10 * power;
}

static void draw_axis(const struct timeline_picture *picture, struct canvas *canvas, double top, double y)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    double span = picture->view.to - picture->view.from, pixels = picture->right - picture->left;
    double step = tick_step(span, pixels, 90);
    size_t unit = 0;
    while (unit < 3 && picture->view.to < 2 * units[unit].ns)
        unit++;
    canvas_line(canvas, picture->left, y, picture->right, y, 1, COLOUR_INK, 1);
    long long first = (long long)ceil(picture->view.from / step),
              last = (long long)floor(picture->view.to / step + 1e-9);
    for (long long tick = first; tick <= last; tick++) {
        double at = (double)tick * step;
        double x = picture->left + (at - picture->view.from) / span * pixels;
        char text[64];
        int decimals = (int)ceil(-log10(step / units[unit].ns) - 1e-9);
        snprintf(text, sizeof text, "%.*f", decimals > 0 ? decimals : 0, at / units[unit].ns);
        canvas_line(canvas, x, top, x, y, 0.6, 0x000000, 0.13);
        canvas_line(canvas, x, y, x, y + 4, 1, COLOUR_INK, 1);
        canvas_text(canvas, x, y + 16, &small_middle, text);
    }
    char caption[64];
    snprintf(caption, sizeof caption, "time since the beginning (%s)", units[unit].name);
    canvas_text(canvas, (picture->left + picture->right) / 2, y + 32, &small_middle, caption);
}

bool timeline_arrange(struct timeline_picture *picture, unsigned width)
{
    if (!choose_colours(picture))
        return false;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        note_what_is_there(picture, &picture->panels[i].rows);
    picture->left = MARGIN + names_width(picture->panels, picture->panel_count) + 8;
    picture->right = picture->left + picture->view.columns;
    picture->width = (unsigned)picture->right + MARGIN > width ? (unsigned)picture->right + MARGIN : width;
    double height = MARGIN + TITLE + AXIS;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        height += panel_height(&picture->panels[i]);
    picture->height = (unsigned)ceil(legend_lay(picture, NULL, height) + MARGIN);
    return true;
}

bool timeline_draw(const struct timeline_picture *picture, struct canvas *canvas)
{
    double y = MARGIN, top;
    char text[400];
    canvas_text(canvas, MARGIN, y + 14, &title,
                cut(text, sizeof text, picture->title, (size_t)((picture->right - MARGIN) / (0.7 * title.size))));
    top = y += TITLE;
    double bottom = y;
    for (uint32_t i = 0; i < picture->panel_count; i++)
        bottom += panel_height(&picture->panels[i]);
    draw_axis(picture, canvas, top, bottom);
    for (uint32_t i = 0; i < picture->panel_count; i++) {
        if (!draw_panel(picture, canvas, &picture->panels[i], y))
            return false;
        y += panel_height(&picture->panels[i]);
    }
    legend_lay(picture, canvas, bottom + AXIS);
    return true;
}
