#include "reporters/library_path.h"

#include "pcomp_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first of the NULL-terminated places that is readable; those that do not begin with / are seen from the
 * directory of the command. */
static char *path_find(const char *const *places, int mode)
{
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = 0;
    for (; *places && !found; places++) {
        char *path = NULL;
        if (**places != '/' && !self)
            continue;
        if (asprintf(&path, "%s%s%s", **places == '/' ? "" : self, **places == '/' ? "" : "/", *places) < 0)
            break;
        if (access(path, mode) == 0)
            found = realpath(path, NULL);
        free(path);
    }
    free(self);
    return found;
}

char *library_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIB "/libpcomp.so", "libpcomp.so", "../instrument/libpcomp.so",
                                         PCOMP_LIBDIR "/libpcomp.so", NULL};
    return path_find(places, R_OK);
}

char *helper_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/calibrate-helper", "calibrate-helper",
                                         PCOMP_LIBEXECDIR "/calibrate-helper", NULL};
    return path_find(places, X_OK);
}

char *stamp_library_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/libpcomp-stamp.so", "libpcomp-stamp.so",
                                         PCOMP_LIBEXECDIR "/libpcomp-stamp.so", NULL};
    return path_find(places, R_OK);
}
