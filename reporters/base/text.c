#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* Length of the printable, valid UTF-8 sequence at p; 0: not one. Controls and the bidirectional controls, which
 * reorder what a terminal shows, count as not printable. *columns: that it takes. */
static size_t text_sequence(const unsigned char *p, size_t *columns)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t length = utf8proc_iterate(p, -1, &code);
    *columns = 0;
    if (length <= 0 || utf8proc_category(code) == UTF8PROC_CATEGORY_CC || code == 0x061c ||
        (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
        return 0;
    *columns = (size_t)utf8proc_charwidth(code);
    return (size_t)length;
}

char *text_clean(const char *text)
{
    size_t length = strlen(text);
    char *clean = malloc(3 * length + 1);
    if (!clean)
        return NULL;
    char *out = clean;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t columns, size = text_sequence(p, &columns);
        if (size) {
            memcpy(out, p, size);
            out += size;
            p += size;
        } else {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
            p++;
        }
    }
    *out = 0;
    return clean;
}

size_t text_columns(const char *text)
{
    size_t all = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t columns, size = text_sequence(p, &columns);
        all += columns;
        p += size ? size : 1;
    }
    return all;
}

size_t text_prefix(const char *text, size_t columns)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t used = 0; *p;) {
        size_t wide, size = text_sequence(p, &wide);
        used += wide;
        if (used > columns)
            break;
        p += size ? size : 1;
    }
    return (size_t)(p - (const unsigned char *)text);
}

/* Bytes of text in front of its last so many columns. */
static size_t text_suffix(const char *text, size_t columns)
{
    size_t all = text_columns(text), at = 0;
    while (all > columns) {
        size_t wide, size = text_sequence((const unsigned char *)text + at, &wide);
        all -= wide;
        at += size ? size : 1;
    }
    return at;
}

/* The part that a reader looks for: behind the last "::" or " > " that is not between brackets. */
static const char *text_own_name(const char *text)
{
    const char *own = text;
    unsigned depth = 0;
    for (const char *at = text; *at; at++) {
        if (!strncmp(at, "operator", 8))
            break;
        if (!strncmp(at, " > ", 3) && !depth) {
            own = at + 3;
            at += 2;
            continue;
        }
        depth += *at == '<' || *at == '(' || *at == '{';
        depth -= depth && (*at == '>' || *at == ')' || *at == '}');
        if (!depth && at[0] == ':' && at[1] == ':')
            own = at + 2;
    }
    return own;
}

char *text_cut(const char *text, size_t columns, const char *ellipsis)
{
    size_t gap = text_columns(ellipsis), all = text_columns(text);
    if (all <= columns)
        return strdup(text);
    if (columns <= gap)
        return strndup(text, text_prefix(text, columns));
    size_t room = columns - gap, own = text_columns(text_own_name(text));
    size_t tail = own <= room && own > room / 2 ? own : room / 2;
    char *cut = NULL;
    int head = (int)text_prefix(text, room - tail);
    return asprintf(&cut, "%.*s%s%s", head, text, ellipsis, text + text_suffix(text, tail)) < 0 ? NULL : cut;
}

unsigned text_distance(const char *a, const char *b)
{
    unsigned row[64];
    size_t length = strlen(b);
    if (length >= 64 || strlen(a) >= 64)
        return 100;
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    return row[length];
}

const char *text_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Four significant digits without exponent, for 0 <= value < 1e15. */
static void text_digits(char *buffer, size_t size, double value)
{
    int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
    snprintf(buffer, size, "%.*f", decimals, value);
}

static char *text_scaled_time(char *buffer, double ns, const char *plus)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    if (isnan(ns))
        return strcpy(buffer, "-");
    double size = fabs(ns);
    if (size >= 1e24) {
        snprintf(buffer, TEXT_NUMBER, "%s%.3e s", ns < 0 ? "-" : plus, size / 1e9);
        return buffer;
    }
    const char *sign = ns < 0 ? "-" : ns > 0 ? plus : "";
    char digits[40];
    for (size_t i = 0; i < 3; i++)
        if (size >= 0.99995 * units[i].unit) {
            text_digits(digits, sizeof digits, size / units[i].unit);
            snprintf(buffer, TEXT_NUMBER, "%s%.30s %s", sign, digits, units[i].name);
            return buffer;
        }
    snprintf(buffer, TEXT_NUMBER, "%s%.*f ns", size < 0.0005 ? "" : sign,
             size == floor(size) ? 0
             : size < 99.95      ? 2
                                 : 1,
             size);
    return buffer;
}

bool text_time_read(const char *text, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"µs", 1e3}, {"ns", 1}};
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return false;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name)) {
            *ns = value * units[i].ns;
            return true;
        }
    return false;
}

char *text_time(char *buffer, double ns)
{
    return text_scaled_time(buffer, ns, "");
}

char *text_time_signed(char *buffer, double ns)
{
    return text_scaled_time(buffer, ns, "+");
}

char *text_uncertainty(char *buffer, double ns)
{
    if (!(ns > 0) || ns >= 1e24)
        return text_time(buffer, ns);
    double unit = pow(10, floor(log10(ns)) - 1), rounded = ceil(ns / unit - 1e-9) * unit;
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    size_t i = 0;
    while (i < 3 && rounded < units[i].unit)
        i++;
    double value = rounded / units[i].unit;
    snprintf(buffer, TEXT_NUMBER, "%.*f %s", value < 0.995 ? 2 : value < 9.95 ? 1 : 0, value, units[i].name);
    return buffer;
}

char *text_count(char *buffer, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
    return buffer;
}

static const struct {
    double unit;
    const char *name;
} count_units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

char *text_count_short(char *buffer, double count)
{
    if (isnan(count))
        return strcpy(buffer, "-");
    if (fabs(count) >= 1e24) {
        snprintf(buffer, TEXT_NUMBER, "%.3e", count);
        return buffer;
    }
    const char *sign = count < 0 ? "-" : "";
    char digits[40];
    for (size_t i = 0; i < 4; i++)
        if (fabs(count) >= count_units[i].unit && fabs(count) >= 1e4) {
            text_digits(digits, sizeof digits, fabs(count) / count_units[i].unit);
            snprintf(buffer, TEXT_NUMBER, "%s%.30s %s", sign, digits, count_units[i].name);
            return buffer;
        }
    snprintf(buffer, TEXT_NUMBER, "%.*f", count == floor(count) ? 0 : 1, count);
    return buffer;
}

char *text_count_half(char *buffer, double half)
{
    if (!(half >= 100) || half >= 1e24)
        return text_count_short(buffer, ceil(half));
    double digit = pow(10, floor(log10(half)) - 1), rounded = rint(ceil(half / digit - 1e-9) * digit);
    for (size_t i = 0; i < sizeof count_units / sizeof *count_units; i++)
        if (rounded >= count_units[i].unit && rounded >= 1e4) {
            double value = rounded / count_units[i].unit;
            snprintf(buffer, TEXT_NUMBER, "%.*f %s", value < 9.95 ? 1 : 0, value, count_units[i].name);
            return buffer;
        }
    return text_count_short(buffer, rounded);
}

#define FOUR_DIGITS 2000 /* they tell what is known of a number, where its half-width is no smaller part of it */

char *text_count_known(char *buffer, double count, double half)
{
    char shown[TEXT_NUMBER], known[TEXT_NUMBER];
    if (!(half > 0))
        return text_count_short(buffer, count);
    if (half >= count)
        snprintf(buffer, TEXT_CALLS, "<%s", text_count_half(shown, count + half));
    else
        snprintf(buffer, TEXT_CALLS, "%s ± %s",
                 half < count / FOUR_DIGITS && count < 1e18 ? text_count(shown, (uint64_t)count)
                                                            : text_count_short(shown, count),
                 text_count_half(known, half));
    return buffer;
}

char *text_calls(char *buffer, double calls, double half)
{
    strcat(text_count_known(buffer, calls, half), calls == 1 && !(half > 0) ? " call" : " calls");
    return buffer;
}

static char *text_share(char *buffer, double share, const char *format, const char *huge)
{
    if (isnan(share) || isinf(share))
        return strcpy(buffer, "-");
    snprintf(buffer, TEXT_NUMBER, fabs(share) < 1e6 ? format : huge, 100 * share);
    return buffer;
}

char *text_percent(char *buffer, double share)
{
    text_share(buffer, share, "%.1f %%", "%.3e %%");
    return strcmp(buffer, "-0.0 %") ? buffer : strcpy(buffer, "0.0 %");
}

char *text_percent_signed(char *buffer, double share)
{
    return text_share(buffer, share, "%+.1f %%", "%+.3e %%");
}

char *text_bytes(char *buffer, uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t i = 0;
    for (; value >= 1024 && i + 1 < sizeof names / sizeof *names; i++)
        value /= 1024;
    snprintf(buffer, TEXT_NUMBER, "%.*f %s", i ? 1 : 0, value, names[i]);
    return buffer;
}

char *text_real(char *buffer, double value)
{
    if (isnan(value))
        return strcpy(buffer, "-");
    if (fabs(value) >= 1e15)
        snprintf(buffer, TEXT_NUMBER, "%.3e", value);
    else if (value < 0) {
        buffer[0] = '-';
        text_digits(buffer + 1, TEXT_NUMBER - 1, -value);
    } else
        text_digits(buffer, TEXT_NUMBER, value);
    return buffer;
}

void text_break_lines(char *text, size_t columns)
{
    char *line = text, *blank = NULL;
    for (char *at = text; columns && *at; at++) {
        if (*at != ' ')
            continue;
        *at = 0;
        bool beyond = text_columns(line) > columns;
        *at = ' ';
        if (beyond && blank) {
            *blank = '\n';
            line = blank + 1;
        }
        blank = at;
    }
    if (columns && blank && text_columns(line) > columns)
        *blank = '\n';
}
