#include "logscan.h"

#include <string.h>

/* HOST - USER [DAY/MONTH/YEAR:HOUR:MINUTE:SECOND ZONE] "METHOD PATH PROTOCOL" STATUS BYTES MS "REFERRER" "AGENT" */

static int peek(const struct scanner *s)
{
    return s->next == s->end ? '\n' : (unsigned char)*s->next;
}

static void advance(struct scanner *s)
{
    if (s->next != s->end)
        s->next++;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_separator(int c)
{
    return c == ' ' || c == '\n';
}

static int to_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static void skip_word(struct scanner *s)
{
    while (!is_separator(peek(s)))
        advance(s);
    if (peek(s) == ' ')
        advance(s);
}

static bool skip_to(struct scanner *s, int wanted)
{
    while (peek(s) != wanted && peek(s) != '\n')
        advance(s);
    if (peek(s) != wanted)
        return false;
    advance(s);
    return true;
}

static bool read_number(struct scanner *s, unsigned *number)
{
    unsigned value = 0;
    if (!is_digit(peek(s)))
        return false;
    while (is_digit(peek(s))) {
        value = value * 10 + (unsigned)(peek(s) - '0');
        advance(s);
    }
    if (peek(s) == ' ' || peek(s) == ':')
        advance(s);
    *number = value;
    return true;
}

static bool read_path(struct scanner *s, char *path)
{
    size_t length = 0;
    for (; !is_separator(peek(s)); advance(s))
        if (length + 1 < PATH_SIZE)
            path[length++] = (char)to_lower(peek(s));
    path[length] = '\0';
    return length > 0 && path[0] == '/';
}

static bool read_time(struct scanner *s, unsigned *second)
{
    unsigned hours, minutes, seconds;
    if (!skip_to(s, '[') || !skip_to(s, ':') || !read_number(s, &hours) || !read_number(s, &minutes) ||
        !read_number(s, &seconds))
        return false;
    *second = (hours * 60 + minutes) * 60 + seconds;
    return *second < SECONDS_A_DAY;
}

static bool read_request(struct scanner *s, struct request *r)
{
    skip_word(s);
    if (!read_time(s, &r->second) || !skip_to(s, '"'))
        return false;
    skip_word(s);
    if (!read_path(s, r->path) || !skip_to(s, '"'))
        return false;
    skip_word(s);
    return read_number(s, &r->status) && read_number(s, &r->bytes) && read_number(s, &r->milliseconds);
}

void scanner_start(struct scanner *s, const char *text, size_t length)
{
    *s = (struct scanner){.next = text, .end = text + length};
}

bool scanner_next(struct scanner *s, struct request *r)
{
    while (s->next != s->end) {
        bool good = read_request(s, r);
        skip_to(s, '\n');
        s->line++;
        if (good)
            return true;
        s->bad_lines++;
    }
    return false;
}
