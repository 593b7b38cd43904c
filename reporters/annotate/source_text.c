#include "reporters/annotate/source_text.h"

#include "compensation/numeric/array.h"
#include "reporters/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES_MAX (16 << 20)

static FILE *open_regular(const char *path, struct stat *st)
{
    return stat(path, st) == 0 && S_ISREG(st->st_mode) && st->st_size <= BYTES_MAX ? fopen(path, "re") : NULL;
}

/* The longest part of the path's end that exists below the working directory. */
static FILE *open_moved(const char *path, struct stat *st)
{
    FILE *file = open_regular(path, st);
    for (const char *p = path; !file && (p = strchr(p, '/')); p++)
        if (p[1] && p[1] != '/')
            file = open_regular(p + 1, st);
    return file;
}

/* A line without what would drive a terminal; tabs become spaces. */
static char *line_clean(const char *line)
{
    size_t length = strlen(line), used = 0;
    char *spaced = malloc(8 * length + 1);
    if (!spaced)
        return NULL;
    for (const char *p = line; *p && *p != '\n' && *p != '\r'; p++) {
        size_t width = *p == '\t' ? 8 - used % 8 : 1;
        memset(spaced + used, *p == '\t' ? ' ' : *p, width);
        used += width;
    }
    spaced[used] = 0;
    char *clean = text_clean(spaced);
    free(spaced);
    return clean;
}

static bool read_lines(struct source_text *text, FILE *file)
{
    size_t room = 0, size = 0;
    char *line = NULL;
    bool ok = true;
    while (ok && getline(&line, &size, file) >= 0) {
        ok = ARRAY_ROOM(text->lines, text->count, room) && (text->lines[text->count] = line_clean(line));
        text->count += ok;
    }
    free(line);
    return ok;
}

bool source_text_read(struct source_text *text, const char *path, uint64_t ran_ns)
{
    *text = (struct source_text){0};
    struct stat st;
    FILE *file = open_moved(path, &st);
    bool ok = file != NULL;
    if (ok) {
        text->newer = ran_ns && (uint64_t)st.st_mtim.tv_sec > ran_ns / 1000000000;
        ok = read_lines(text, file);
    }
    if (file)
        fclose(file);
    if (!ok)
        source_text_free(text);
    return ok;
}

void source_text_free(struct source_text *text)
{
    for (size_t i = 0; i < text->count; i++)
        free(text->lines[i]);
    free(text->lines);
    *text = (struct source_text){0};
}
