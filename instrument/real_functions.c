#include "instrument/real_functions.h"

#include <dlfcn.h>
#include <stdlib.h>

void *real_function_or_null(const char *name, const char *version)
{
    void *function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return function ? function : dlsym(RTLD_NEXT, name);
}

void *real_function(const char *name, const char *version)
{
    void *function = real_function_or_null(name, version);
    if (!function)
        abort();
    return function;
}
