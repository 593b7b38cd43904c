#include "reporters/adoption.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1u << 20)

/* /dev/shm/pcomp-<uid>-<16 hex digits>-<pid>-<n>, for <pid>-<n>.pcomp: nothing else is ever removed. */
static bool is_named_by_library(const char *path, const char *memory)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    int end = 0;
    if (sscanf(memory, "/dev/shm/pcomp-%*[0-9]-%*[0-9a-f]-%n", &end) != 0 || !end)
        return false;
    size_t length = strlen(memory + end);
    return !strncmp(memory + end, name, length) && !strcmp(name + length, ".pcomp");
}

static bool copy_bytes(int from, int to, uint64_t size)
{
    char *block = malloc(BLOCK);
    bool ok = block != NULL;
    while (ok && size) {
        ssize_t n = read(from, block, size < BLOCK ? size : BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        ok = n >= 0;
        if (n <= 0)
            break; /* shorter than it should be: the reader will say so */
        for (ssize_t done = 0; ok && done < n;) {
            ssize_t w = write(to, block + done, (size_t)(n - done));
            if (w < 0 && errno == EINTR)
                continue;
            ok = w > 0;
            done += w;
        }
        size -= (uint64_t)n;
    }
    int why = errno;
    free(block);
    errno = why;
    return ok;
}

bool adopt_profile(const char *path, const char *memory, uint64_t used, char *error, size_t error_size)
{
    char temporary[PATH_MAX], left[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    const char *name = path + folder;
    if (!is_named_by_library(path, memory)) {
        snprintf(error, error_size, "it is not a file of pcomp's memory");
        return false;
    }
    if ((size_t)snprintf(temporary, sizeof temporary, "%.*s.%s.%d", folder, path, name, (int)getpid()) >=
            sizeof temporary ||
        (size_t)snprintf(left, sizeof left, "%.*s.%s.tmp", folder, path, name) >= sizeof left) {
        snprintf(error, error_size, "the name is too long");
        return false;
    }
    int from = open(memory, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    if (from < 0 && errno == ENOENT && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        return true; /* another command was faster */
    if (from < 0 || fstat(from, &st) || !S_ISREG(st.st_mode)) {
        snprintf(error, error_size, "%s", from < 0 ? strerror(errno) : "not a regular file");
        if (from >= 0)
            close(from);
        return false;
    }
    int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    bool ok = to >= 0 && copy_bytes(from, to, used);
    if (to >= 0 && close(to))
        ok = false;
    ok = ok && rename(temporary, path) == 0;
    if (!ok) {
        snprintf(error, error_size, "%s", strerror(errno));
        if (to >= 0)
            unlink(temporary);
    } else {
        unlink(memory);
        unlink(left); /* a copy that the process itself did not finish */
    }
    close(from);
    return ok;
}
