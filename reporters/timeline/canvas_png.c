/* The canvas as a PNG image, by cairo: libpcomp-png.so, which canvas_png_load.c loads. */
#include "reporters/base/text.h"
#include "reporters/timeline/canvas.h"

#include <cairo.h>
#include <stdlib.h>

enum { HATCH = 5 };

struct png_canvas {
    struct canvas canvas;
    FILE *out;
    cairo_surface_t *surface;
    cairo_t *cairo;
    cairo_pattern_t *hatched;
    bool failed;
};

static void png_colour(cairo_t *cairo, uint32_t colour, double opacity)
{
    cairo_set_source_rgba(cairo, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0,
                          opacity);
}

static cairo_pattern_t *png_hatch(void)
{
    cairo_surface_t *tile = cairo_image_surface_create(CAIRO_FORMAT_RGB24, HATCH, HATCH);
    cairo_t *cairo = cairo_create(tile);
    png_colour(cairo, 0xf4f4f4, 1);
    cairo_paint(cairo);
    png_colour(cairo, 0xa8a8a8, 1);
    cairo_set_line_width(cairo, 1);
    for (int i = -1; i <= 1; i++) { /* the stripe, and the corners of its neighbours */
        cairo_move_to(cairo, i * HATCH - 1, HATCH + 1);
        cairo_line_to(cairo, i * HATCH + HATCH + 1, -1);
    }
    cairo_stroke(cairo);
    cairo_destroy(cairo);
    cairo_pattern_t *pattern = cairo_pattern_create_for_surface(tile);
    cairo_surface_destroy(tile);
    cairo_pattern_set_extend(pattern, CAIRO_EXTEND_REPEAT);
    return pattern;
}

static void png_bars(struct canvas *canvas, double y, double height, const struct canvas_bar *bars, size_t count,
                     uint32_t colour, const char *tip)
{
    struct png_canvas *png = (struct png_canvas *)canvas;
    (void)tip; /* an image has none */
    if (colour == CANVAS_HATCHED)
        cairo_set_source(png->cairo, png->hatched);
    else
        png_colour(png->cairo, colour, 1);
    for (size_t i = 0; i < count; i++)
        cairo_rectangle(png->cairo, bars[i].x, y, bars[i].width, height);
    cairo_fill(png->cairo);
}

static void png_line(struct canvas *canvas, double x0, double y0, double x1, double y1, double width, uint32_t colour,
                     double opacity)
{
    struct png_canvas *png = (struct png_canvas *)canvas;
    png_colour(png->cairo, colour, opacity);
    cairo_set_line_width(png->cairo, width);
    cairo_move_to(png->cairo, x0, y0);
    cairo_line_to(png->cairo, x1, y1);
    cairo_stroke(png->cairo);
}

static void png_text(struct canvas *canvas, double x, double y, const struct canvas_text *how, const char *text)
{
    struct png_canvas *png = (struct png_canvas *)canvas;
    char *clean = text_clean(text);
    png->failed |= !clean;
    if (!clean)
        return;
    cairo_text_extents_t extents;
    cairo_select_font_face(png->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           how->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(png->cairo, how->size);
    cairo_text_extents(png->cairo, clean, &extents);
    double before = how->anchor == CANVAS_LEFT ? 0 : how->anchor == CANVAS_MIDDLE ? 0.5 : 1;
    png_colour(png->cairo, how->colour, 1);
    cairo_move_to(png->cairo, x - before * extents.x_advance, y);
    cairo_show_text(png->cairo, clean);
    cairo_new_path(png->cairo);
    free(clean);
}

static cairo_status_t png_write(void *context, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, context) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool png_close(struct canvas *canvas)
{
    struct png_canvas *png = (struct png_canvas *)canvas;
    cairo_status_t drawn = cairo_status(png->cairo);
    cairo_status_t written =
        drawn == CAIRO_STATUS_SUCCESS ? cairo_surface_write_to_png_stream(png->surface, png_write, png->out) : drawn;
    bool good = !png->failed && (written == CAIRO_STATUS_SUCCESS || written == CAIRO_STATUS_WRITE_ERROR);
    cairo_pattern_destroy(png->hatched);
    cairo_destroy(png->cairo);
    cairo_surface_destroy(png->surface);
    free(png);
    return good;
}

__attribute__((visibility("default"))) struct canvas *canvas_png_make(FILE *out, unsigned width, unsigned height,
                                                                      char *error, size_t error_size)
{
    static const struct canvas_operations operations = {png_bars, png_line, png_text, png_close};
    struct png_canvas *png = malloc(sizeof *png);
    if (!png) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    *png = (struct png_canvas){.canvas = {&operations},
                               .out = out,
                               .surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)};
    png->cairo = cairo_create(png->surface);
    png->hatched = png_hatch();
    if (cairo_status(png->cairo) != CAIRO_STATUS_SUCCESS) {
        snprintf(error, error_size, "%u x %u pixels: %s", width, height,
                 cairo_status_to_string(cairo_status(png->cairo)));
        png_close(&png->canvas);
        return NULL;
    }
    png_colour(png->cairo, 0xffffff, 1);
    cairo_paint(png->cairo);
    return &png->canvas;
}
