#include "reporters/base/library_path.h"

#include "pcomp_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The first of the NULL-terminated places that is readable; those that do not begin with / are seen from the
 * directory of the command. */
static char *path_find(const char *const *places, int mode)
{
    char *self = realpath("/proc/self/exe", NULL), *found = NULL;
    if (!self)                                                     /* no /proc here */
        self = realpath((const char *)getauxval(AT_EXECFN), NULL); // NOLINT(performance-no-int-to-ptr)
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

char *plugin_path_find(unsigned gcc_major)
{
    char *beside = NULL, *installed = NULL, *found = NULL;
    if (asprintf(&beside, PCOMP_BIN_TO_LIB "/pcomp/gcc-%u/pcomp_sleds.so", gcc_major) >= 0 &&
        asprintf(&installed, PCOMP_LIBDIR "/pcomp/gcc-%u/pcomp_sleds.so", gcc_major) >= 0)
        found = path_find((const char *const[]){beside, installed, NULL}, R_OK);
    free(beside);
    free(installed);
    return found;
}

char *mpi_library_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/libpcomp-mpi.so", PCOMP_LIBEXECDIR "/libpcomp-mpi.so",
                                         NULL};
    return path_find(places, R_OK);
}

char *helper_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/calibrate-helper", "calibrate-helper",
                                         PCOMP_LIBEXECDIR "/calibrate-helper", NULL};
    return path_find(places, X_OK);
}

/* "PREFIX-MPI SUFFIX" among the helpers. */
static char *mpi_helper_find(const char *prefix, const char *mpi, const char *suffix, int mode)
{
    char *beside = NULL, *installed = NULL, *found = NULL;
    if (asprintf(&beside, PCOMP_BIN_TO_LIBEXEC "/%s-%s%s", prefix, mpi, suffix) >= 0 &&
        asprintf(&installed, PCOMP_LIBEXECDIR "/%s-%s%s", prefix, mpi, suffix) >= 0)
        found = path_find((const char *const[]){beside, installed, NULL}, mode);
    free(beside);
    free(installed);
    return found;
}

char *pingpong_path_find(const char *mpi)
{
    return mpi_helper_find("pingpong", mpi, "", X_OK);
}

char *replay_library_path_find(const char *mpi)
{
    return mpi_helper_find("libpcomp-replay", mpi, ".so", R_OK);
}

char *stamp_library_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/libpcomp-stamp.so", "libpcomp-stamp.so",
                                         PCOMP_LIBEXECDIR "/libpcomp-stamp.so", NULL};
    return path_find(places, R_OK);
}

char *png_library_path_find(void)
{
    static const char *const places[] = {PCOMP_BIN_TO_LIBEXEC "/libpcomp-png.so", PCOMP_LIBEXECDIR "/libpcomp-png.so",
                                         NULL};
    return path_find(places, R_OK);
}
