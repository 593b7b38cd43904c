/* Something to draw on: an SVG file, or a PNG image. Units are pixels, y grows downwards, the background is white.
 *
 * Texts are UTF-8; their widths are estimated the same way for both, a little too wide rather than too narrow. Not
 * thread-safe on one canvas. */
#ifndef PCOMP_CANVAS_H
#define PCOMP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CANVAS_HATCHED 0x01000000u /* instead of a colour: grey diagonal stripes */

enum canvas_anchor { CANVAS_LEFT, CANVAS_MIDDLE, CANVAS_RIGHT };

struct canvas_text {
    double size;
    uint32_t colour; /* 0xRRGGBB */
    enum canvas_anchor anchor;
    bool bold;
};

struct canvas_bar { /* of one height and colour, side by side */
    double x, width;
};

struct canvas {
    const struct canvas_operations *operations;
};

struct canvas_operations {
    /* tip: what the bars are, shown where the pointer rests on them, if the format can; NULL none */
    void (*bars)(struct canvas *canvas, double y, double height, const struct canvas_bar *bars, size_t count,
                 uint32_t colour, const char *tip);
    void (*line)(struct canvas *canvas, double x0, double y0, double x1, double y1, double width, uint32_t colour,
                 double opacity);
    void (*text)(struct canvas *canvas, double x, double y, const struct canvas_text *how, const char *text);
    bool (*close)(struct canvas *canvas); /* completes and frees; false: out of memory; stream errors are left in it */
};

/* NULL: out of memory. The stream stays the caller's. */
struct canvas *canvas_svg_open(FILE *out, unsigned width, unsigned height);

/* NULL after writing to error: also when PNG was left out of this build, or cannot be loaded here. */
struct canvas *canvas_png_open(FILE *out, unsigned width, unsigned height, char *error, size_t error_size);

/* What libpcomp-png.so has for it. */
#define CANVAS_PNG_MAKER "canvas_png_make"
typedef struct canvas *canvas_png_maker(FILE *out, unsigned width, unsigned height, char *error, size_t error_size);
extern canvas_png_maker canvas_png_make;

/* Estimated width of a text. */
double canvas_text_width(const char *text, double size);

static inline void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                                    uint32_t colour)
{
    struct canvas_bar bar = {x, width};
    canvas->operations->bars(canvas, y, height, &bar, 1, colour, NULL);
}

static inline void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1, double width,
                               uint32_t colour, double opacity)
{
    canvas->operations->line(canvas, x0, y0, x1, y1, width, colour, opacity);
}

static inline void canvas_text(struct canvas *canvas, double x, double y, const struct canvas_text *how,
                               const char *text)
{
    canvas->operations->text(canvas, x, y, how, text);
}

#endif
