#include "reporters/export/export_gzip.h"

#include <stdint.h>
#include <string.h>

#define GZIP_WINDOW (15 + 16) /* 16: gzip's head, not zlib's */
#define GZIP_MEMORY 8         /* zlib's default */

bool export_gzip_begin(struct export_gzip *gzip, FILE *out)
{
    memset(gzip, 0, sizeof *gzip);
    gzip->out = out;
    return deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

static void gzip_flush(struct export_gzip *gzip, int how)
{
    unsigned char buffer[16384];
    do {
        gzip->z.next_out = buffer;
        gzip->z.avail_out = sizeof buffer;
        deflate(&gzip->z, how);
        fwrite(buffer, 1, sizeof buffer - gzip->z.avail_out, gzip->out);
    } while (!gzip->z.avail_out);
}

void export_gzip_write(struct export_gzip *gzip, const void *data, size_t size)
{
    const unsigned char *at = data;
    while (size) {
        size_t part = size < 1u << 30 ? size : 1u << 30;
        gzip->z.next_in = (unsigned char *)(uintptr_t)at; /* deflate reads it only */
        gzip->z.avail_in = (unsigned)part;
        gzip_flush(gzip, Z_NO_FLUSH);
        at += part;
        size -= part;
    }
}

void export_gzip_end(struct export_gzip *gzip)
{
    gzip_flush(gzip, Z_FINISH);
    deflateEnd(&gzip->z);
}
