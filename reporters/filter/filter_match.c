#include "reporters/filter/filter_match.h"

#include "reporters/base/text.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* What a pattern is matched with. */
struct filter_subject {
    const char *linkage, *file, *module;
    char *demangled, *plain; /* plain: demangled without parameters */
};

static bool glob_matches(const char *pattern, const char *text)
{
    return text && fnmatch(pattern, text, 0) == 0;
}

static bool path_matches(const char *pattern, const char *path)
{
    return path && (glob_matches(pattern, path) || glob_matches(pattern, text_basename(path)));
}

static bool pattern_matches(const char *pattern, const struct filter_subject *subject)
{
    if (!strncmp(pattern, "file:", 5))
        return path_matches(pattern + 5, subject->file);
    if (!strncmp(pattern, "module:", 7))
        return path_matches(pattern + 7, subject->module);
    return glob_matches(pattern, subject->linkage) || glob_matches(pattern, subject->demangled) ||
           glob_matches(pattern, subject->plain);
}

static bool any_matches(const struct option_list *patterns, const struct filter_subject *subject)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (pattern_matches(patterns->texts[i], subject))
            return true;
    return false;
}

bool filter_keeps(const struct filter_function *function, const char *module, const struct option_list *only,
                  const struct option_list *skip)
{
    struct filter_subject subject = {.linkage = function->name, .file = function->file, .module = module};
    if (!strncmp(function->name, "_Z", 2)) {
        subject.demangled = cplus_demangle(function->name, DMGL_PARAMS | DMGL_ANSI);
        subject.plain = cplus_demangle(function->name, DMGL_ANSI);
    }
    bool kept = !any_matches(skip, &subject) && (!only->count || any_matches(only, &subject));
    free(subject.demangled);
    free(subject.plain);
    return kept;
}
