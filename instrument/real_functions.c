#include "instrument/real_functions.h"

#include <dlfcn.h>
#include <stdlib.h>

void *real_function_or_null(const char *name, const char *version)
{
    void *function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return function ? function : dlsym(RTLD_NEXT, name);
}

/* Of a runtime library of OpenMP that a plug-in brought along, and that nobody else sees. */
static void *find_in_openmp(const char *name)
{
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so"};
    void *function = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !function; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        function = library ? dlsym(library, name) : NULL;
    }
    return function;
}

void *real_function(const char *name, const char *version)
{
    void *function = real_function_or_null(name, version);
    if (!function)
        function = find_in_openmp(name);
    if (!function)
        abort();
    return function;
}
