#include "reporters/base/locale_text.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static bool ascii_only;

void locale_text_begin(void)
{
    ascii_only = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

const char *locale_ellipsis(void)
{
    return ascii_only ? "..." : "…";
}

/* At most as long as the character itself, but for the ellipsis, which is as long. */
static const char *ascii_for(utf8proc_int32_t code)
{
    static const char *const heights[] = {"_", ".", "-", ":", "=", "+", "*", "#"};
    if (code >= 0x2581 && code <= 0x2588) /* blocks, from one eighth on */
        return heights[code - 0x2581];
    switch (code) {
    case 0xb1: /* ± */
        return "+-";
    case 0xb5:  /* micro sign */
    case 0x3bc: /* Greek mu */
        return "u";
    case 0xb7: /* · */
        return "*";
    case 0xd7: /* × */
        return "x";
    case 0x394: /* Δ */
        return "D";
    case 0x3b3: /* γ */
        return "g";
    case 0x2192: /* → */
        return ">";
    case 0x25b2: /* ▲ */
        return "^";
    case 0x25bc: /* ▼ */
        return "v";
    case 0x2026: /* … */
        return "...";
    default:
        return "?";
    }
}

char *locale_text(const char *text)
{
    char *copy = strdup(text), *out = copy;
    if (!ascii_only || !copy)
        return copy;
    for (const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)text; *p;) {
        utf8proc_int32_t code;
        utf8proc_ssize_t length = utf8proc_iterate(p, -1, &code);
        if (length <= 1) {
            *out++ = length == 1 ? (char)*p : '?';
            p++;
            continue;
        }
        out = stpcpy(out, ascii_for(code));
        p += length;
    }
    *out = 0;
    return copy;
}
