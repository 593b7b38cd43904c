/* Readable names of C++ functions. Thread-safe. */
#ifndef PCOMP_DEMANGLE_H
#define PCOMP_DEMANGLE_H

#include <stdbool.h>

/* The demangled name, to be freed; NULL when `linkage` is not a mangled name. short_templates: arguments of templates
 * become <...>. */
char *demangle(const char *linkage, bool short_templates);

/* The same without parameters and type of result: "ns::list<int>::push". */
char *demangle_scoped(const char *linkage);

/* Replaces the contents of template brackets by "...", in place; operators such as << and -> stay. */
void demangle_shorten(char *name);

#endif
