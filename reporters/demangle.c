#include "reporters/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* A demangled name can be exponentially longer than its symbol; such symbols are left as they are. */
#define LINKAGE_MOST 16384u

static bool is_mangled(const char *linkage)
{
    return (!strncmp(linkage, "_Z", 2) || !strncmp(linkage, "___Z", 4)) && strlen(linkage) <= LINKAGE_MOST;
}

char *demangle_scoped(const char *linkage)
{
    return is_mangled(linkage) ? cplus_demangle_v3(linkage, DMGL_ANSI) : NULL;
}

char *demangle(const char *linkage, bool short_templates)
{
    if (!is_mangled(linkage))
        return NULL;
    char *name = cplus_demangle_v3(linkage, DMGL_PARAMS | DMGL_ANSI);
    if (name && short_templates)
        demangle_shorten(name);
    return name;
}

/* Length of the operator symbol behind "operator" at `at`, if it has angle brackets. */
static size_t operator_length(const char *at)
{
    static const char *const symbols[] = {"<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!strncmp(at, symbols[i], strlen(symbols[i])))
            return strlen(symbols[i]);
    return 0;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The end of the template arguments that begin behind the '<' at `at`; NULL when they do not end. */
static const char *arguments_end(const char *at)
{
    unsigned depth = 0;
    for (const char *c = at; *c; c++) {
        if (!strncmp(c, "operator", 8) && operator_length(c + 8)) {
            c += 7 + operator_length(c + 8);
            continue;
        }
        depth += *c == '<';
        if (*c == '>' && c[-1] != '-' && !--depth)
            return c + 1;
    }
    return NULL;
}

void demangle_shorten(char *name)
{
    char *out = name;
    for (const char *at = name; *at;) {
        size_t symbol = strncmp(at, "operator", 8) || (at > name && is_word(at[-1])) ? 0 : operator_length(at + 8);
        const char *end = *at == '<' ? arguments_end(at) : NULL;
        if (symbol) {
            memmove(out, at, 8 + symbol);
            out += 8 + symbol;
            at += 8 + symbol;
        } else if (end && end - at > 5) {
            memcpy(out, "<...>", 5);
            out += 5;
            at = end;
        } else {
            *out++ = *at++;
        }
    }
    *out = 0;
}
