#include "reporters/advise/gcc_exclusion.h"

#include "reporters/symbols/demangle.h"
#include "reporters/symbols/dwarf_functions.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

char *gcc_visible_name(const char *linkage)
{
    char *plain = strndup(linkage, linkage_without_clone(linkage));
    char *scoped = plain ? demangle(plain, NAMES_SCOPE) : NULL;
    if (!scoped)
        return plain;
    free(plain);
    return scoped;
}

/* Length of "operator" and its symbol at `at`, 0 when there is none. A conversion operator's type is no symbol. */
static size_t operator_length(const char *name, const char *at)
{
    static const char *const symbols[] = {"()", "[]", "->*", "->", "<=>", "<<=", ">>=", "<<",
                                          ">>", "<=", ">=",  "<",  ">",   ",",   "=",   ""};
    if (strncmp(at, "operator", 8) != 0 || (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
        isalnum((unsigned char)at[8]) || at[8] == '_')
        return 0;
    size_t i = 0;
    while (strncmp(at + 8, symbols[i], strlen(symbols[i])) != 0)
        i++;
    return 8 + strlen(symbols[i]);
}

/* The end of the brackets that open at `at`; the end of the text when they do not close. */
static const char *brackets_end(const char *at)
{
    const char *name = at;
    int depth = 0;
    while (*at) {
        size_t skip = operator_length(name, at);
        if (skip) {
            at += skip;
            continue;
        }
        depth += strchr("<({[", *at) != NULL;
        depth -= strchr(">)}]", *at) != NULL && !(*at == '>' && at[-1] == '-');
        at++;
        if (!depth && (!*at || !strchr("<({[", *at)))
            break;
    }
    return at;
}

char *gcc_item(const char *linkage)
{
    char *name = gcc_visible_name(linkage);
    if (!name)
        return NULL;
    const char *from = name, *at = name, *last = name;
    const char *end = NULL;
    while (*at && !end) {
        size_t skip = operator_length(name, at);
        if (skip) {
            at += skip;
            if (*at == ' ' && strncmp(at, " new", 4) != 0 && strncmp(at, " delete", 7) != 0)
                end = at + 1; /* of a type that is converted to only the space is sure */
        } else if (strchr("<({[", *at)) {
            const char *close = brackets_end(at);
            if (strncmp(close, "::", 2) != 0)
                end = at;
            else
                from = at = close;
        } else {
            if (!strncmp(at, "::", 2))
                last = at;
            at++;
        }
    }
    if (!end)
        end = at;
    if (*end == '<' && end > from && end[-1] == ' ') /* operator<< <int> */
        end--;
    /* inside a function: gcc prints its parameters, of which an extern "C" one's mangled name knows nothing */
    if (!strncmp(linkage, "_ZZ", 3) && last > from)
        from = last;
    char *item = strndup(from, from < end ? (size_t)(end - from) : 0);
    free(name);
    return item;
}

/* text with `escape` before each of its characters that are in `special` */
static char *escaped(const char *text, const char *special, char escape)
{
    char *out = malloc(2 * strlen(text) + 1), *to = out;
    if (!out)
        return NULL;
    for (; *text; text++) {
        if (strchr(special, *text))
            *to++ = escape;
        *to++ = *text;
    }
    *to = 0;
    return out;
}

char *gcc_list_text(const char *text)
{
    return escaped(text, ",", '\\');
}

char *response_word(const char *text)
{
    return escaped(text, "\\\"' \t\n", '\\');
}

char *shell_word(const char *text)
{
    return escaped(text, " \t\n\\\"'`$&|;<>(){}[]*?#~!", '\\');
}
