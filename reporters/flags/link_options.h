/* What the linker needs for a program with sites. */
#ifndef PCOMP_LINK_OPTIONS_H
#define PCOMP_LINK_OPTIONS_H

#include "reporters/flags/compiler_probe.h"
#include "reporters/flags/site_options.h"

#include <stdbool.h>

/* Where the library is, seen by the compiler's linker and by the dynamic loader. */
struct link_options {
    char *library;   /* path of libpcomp.so */
    char *directory; /* its directory */
    bool searched;   /* the linker finds this one by itself: no -L */
    bool loaded;     /* the loader finds this one by itself, or nothing is loaded: no rpath */
    bool is_static;  /* the program gets libpcomp.a: one of its names must be asked for */
};

/* Links the probe to find out. False after a message. link_options_free in both cases. */
bool link_options_find(struct link_options *link, const struct compiler *compiler, const struct site_options *sites);

/* Writes them to stdout, blanks between. */
void link_options_print(const struct link_options *link, const struct site_options *sites);
void link_options_free(struct link_options *link);

#endif
