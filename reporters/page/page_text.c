#include "reporters/page/page_text.h"

#include "reporters/base/text.h"

#include <stdlib.h>
#include <string.h>

static int is_inside(char byte) /* a code point */
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

char *page_text(const char *text, size_t max)
{
    static const char gap[] = "\u2026";
    char *clean = text_clean(text);
    size_t length = clean ? strlen(clean) : 0;
    if (!clean || length <= max || max < 4 * sizeof gap)
        return clean;
    size_t tail = length - max / 2, head = max / 2 - sizeof gap;
    while (head && is_inside(clean[head]))
        head--;
    while (is_inside(clean[tail]))
        tail++;
    memcpy(clean + head, gap, sizeof gap - 1);
    memmove(clean + head + sizeof gap - 1, clean + tail, length - tail + 1);
    return clean;
}

/* Outside of strings JSON has none of these. */
static int is_markup(char byte)
{
    return byte == '<' || byte == '>' || byte == '&';
}

size_t page_embedded_size(const char *json)
{
    size_t size = 0;
    for (const char *p = json; *p; p++)
        size += is_markup(*p) ? sizeof "\\u003c" - 1 : 1;
    return size;
}

void page_embed_json(const char *json, FILE *out)
{
    for (const char *p = json; *p;) {
        size_t plain = strcspn(p, "<>&");
        fwrite(p, 1, plain, out);
        p += plain;
        if (*p)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*p++);
    }
}
