#include "reporters/base/scratch_dir.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *scratch_dir_make(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/pcomp-XXXXXX", base && *base ? base : "/tmp") < 0)
        return NULL;
    if (!mkdtemp(path)) {
        int why = errno;
        free(path);
        errno = why;
        return NULL;
    }
    return path;
}

static int scratch_remove(const char *path, const struct stat *status, int type, struct FTW *position)
{
    (void)status;
    (void)type;
    (void)position;
    return remove(path);
}

void scratch_dir_remove(char *path)
{
    if (path)
        nftw(path, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}
