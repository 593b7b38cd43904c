/* The canvas as SVG 1.1, written as it comes. */
#include "reporters/base/text.h"
#include "reporters/timeline/canvas.h"

#include <stdlib.h>

struct svg_canvas {
    struct canvas canvas;
    FILE *out;
    bool failed;
};

double canvas_text_width(const char *text, double size)
{
    double units = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if ((*p & 0xc0) == 0x80)
            continue;
        units += *p >= 0x80 ? 0.85 : *p >= 'A' && *p <= 'Z' ? 0.74 : *p == 'm' || *p == 'w' || *p == '%' ? 0.97 : 0.62;
    }
    return units * size;
}

static void svg_escaped(struct svg_canvas *svg, const char *text)
{
    char *clean = text_clean(text);
    svg->failed |= !clean;
    for (const char *p = clean; p && *p; p++)
        if (*p == '&')
            fputs("&amp;", svg->out);
        else if (*p == '<')
            fputs("&lt;", svg->out);
        else if (*p == '>')
            fputs("&gt;", svg->out);
        else
            putc(*p, svg->out);
    free(clean);
}

static void svg_bars(struct canvas *canvas, double y, double height, const struct canvas_bar *bars, size_t count,
                     uint32_t colour, const char *tip)
{
    struct svg_canvas *svg = (struct svg_canvas *)canvas;
    if (colour == CANVAS_HATCHED)
        fputs("<path fill=\"url(#hatched)\" d=\"", svg->out);
    else
        fprintf(svg->out, "<path fill=\"#%06x\" d=\"", colour);
    for (size_t i = 0; i < count; i++)
        fprintf(svg->out, "M%.6g %.6gh%.6gv%.6gh%.6gz", bars[i].x, y, bars[i].width, height, -bars[i].width);
    if (!tip) {
        fputs("\"/>\n", svg->out);
        return;
    }
    fputs("\"><title>", svg->out);
    svg_escaped(svg, tip);
    fputs("</title></path>\n", svg->out);
}

static void svg_line(struct canvas *canvas, double x0, double y0, double x1, double y1, double width, uint32_t colour,
                     double opacity)
{
    struct svg_canvas *svg = (struct svg_canvas *)canvas;
    fprintf(svg->out,
            "<path stroke=\"#%06x\" stroke-width=\"%.3g\" stroke-opacity=\"%.3g\" d=\"M%.6g %.6gL%.6g %.6g\"/>\n",
            colour, width, opacity, x0, y0, x1, y1);
}

static void svg_text(struct canvas *canvas, double x, double y, const struct canvas_text *how, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    struct svg_canvas *svg = (struct svg_canvas *)canvas;
    fprintf(svg->out, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%.3g\" fill=\"#%06x\" text-anchor=\"%s\"%s>", x, y,
            how->size, how->colour, anchors[how->anchor], how->bold ? " font-weight=\"bold\"" : "");
    svg_escaped(svg, text);
    fputs("</text>\n", svg->out);
}

static bool svg_close(struct canvas *canvas)
{
    struct svg_canvas *svg = (struct svg_canvas *)canvas;
    fputs("</svg>\n", svg->out);
    bool good = !svg->failed;
    free(svg);
    return good;
}

struct canvas *canvas_svg_open(FILE *out, unsigned width, unsigned height)
{
    static const struct canvas_operations operations = {svg_bars, svg_line, svg_text, svg_close};
    struct svg_canvas *svg = malloc(sizeof *svg);
    if (!svg)
        return NULL;
    *svg = (struct svg_canvas){.canvas = {&operations}, .out = out};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
            "font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\n"
            "<defs><pattern id=\"hatched\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
            "<path fill=\"#f4f4f4\" d=\"M0 0h5v5h-5z\"/>"
            "<path stroke=\"#a8a8a8\" d=\"M-1 1L1 -1M0 5L5 0M4 6L6 4\"/></pattern></defs>\n"
            "<path fill=\"#ffffff\" d=\"M0 0h%uv%uh-%uz\"/>\n",
            width, height, width, height, width, height, width);
    return &svg->canvas;
}
