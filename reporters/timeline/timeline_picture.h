/* The picture: one panel an execution on one time axis, a row a location, a legend. Colours are told apart by most
 * people who cannot see all of them (Okabe and Ito, 2008). */
#ifndef PCOMP_TIMELINE_PICTURE_H
#define PCOMP_TIMELINE_PICTURE_H

#include "reporters/timeline/canvas.h"
#include "reporters/timeline/timeline_rows.h"

enum { TIMELINE_COLOURS = 7 };

struct timeline_panel {
    const char *title;
    double span; /* ns: the whole execution */
    const struct trace_directory *traces;
    struct timeline_rows rows;
};

struct timeline_picture {
    const char *title;
    struct timeline_view view;
    struct timeline_panel *panels; /* the one that others are compared with first */
    uint32_t panel_count;
    const struct trace_functions *functions; /* with names */

    /* Filled by timeline_arrange: */
    unsigned width, height;
    double left, right;                  /* x of the first column, and behind the last */
    uint32_t coloured[TIMELINE_COLOURS]; /* functions that have a colour of their own, most time first */
    uint32_t coloured_count;
    bool others, outside, waiting, flushed; /* what else there is to see */
    bool links[TRACE_LINK_THREAD + 1];
};

/* Columns that a picture of this width (pixels) has room for, with these names of locations. */
uint32_t timeline_columns(unsigned width, const struct timeline_panel *panels, uint32_t panel_count);

/* Chooses colours and sizes, for a picture of this width. False: out of memory. */
bool timeline_arrange(struct timeline_picture *picture, unsigned width);

/* Draws it on a canvas of width x height. False: out of memory. */
bool timeline_draw(const struct timeline_picture *picture, struct canvas *canvas);

#endif
