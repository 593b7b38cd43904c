#include "reporters/profile/adoption.h"

#include "profiler/format/profile_format.h"

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

/* The directory's run id as profiles have it. */
static bool read_run_id(int directory, uint8_t id[16])
{
    char text[64] = "";
    int fd = openat(directory, "run", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    int digits = 0;
    if (n <= 0 || sscanf(text, "pcomp-run 1 id %n", &digits) != 0 || !digits)
        return false;
    for (int i = 0; i < 16; i++)
        if (sscanf(text + digits + 2 * i, "%2hhx", &id[i]) != 1)
            return false;
    return true;
}

/* Whether the open file `from` may take the place of the link `name`. The user of this command may have more rights
 * than the owner of the directory, who could have linked to any file of that name. NULL, or why not. */
static const char *refuse(int directory, const char *name, int from)
{
    struct stat memory, link, folder;
    struct pcomp_header header;
    uint8_t id[16];
    if (fstat(from, &memory) || fstatat(directory, name, &link, AT_SYMLINK_NOFOLLOW) || fstat(directory, &folder))
        return strerror(errno);
    if (!S_ISREG(memory.st_mode))
        return "not a regular file";
    if (memory.st_uid != folder.st_uid || link.st_uid != folder.st_uid)
        return "the directory, the link and the memory belong to different users";
    if (pread(from, &header, sizeof header, 0) != (ssize_t)sizeof header || !read_run_id(directory, id) ||
        memcmp(id, header.run_id, sizeof id) != 0)
        return "it is not of the directory's run";
    return NULL;
}

/* With the mode and, for who may give files away, the owner of the original. */
static bool copy_file(int from, int directory, const char *name, uint64_t size)
{
    struct stat st;
    int to = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (to < 0)
        return false;
    bool ok = fstat(from, &st) == 0 && copy_bytes(from, to, size) &&
              (st.st_uid == geteuid() || fchown(to, st.st_uid, st.st_gid) == 0) && fchmod(to, st.st_mode & 0777) == 0;
    return close(to) == 0 && ok;
}

/* The directory stays the one that was looked at, whatever its name leads to by now. */
static const char *adopt_in(int directory, const char *name, const char *memory, uint64_t used)
{
    char temporary[NAME_MAX + 1], left[NAME_MAX + 1];
    struct stat st;
    if ((size_t)snprintf(temporary, sizeof temporary, ".%s.%d", name, (int)getpid()) >= sizeof temporary ||
        (size_t)snprintf(left, sizeof left, ".%s.tmp", name) >= sizeof left)
        return "the name is too long";
    int from = open(memory, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (from < 0 && errno == ENOENT && fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
        return NULL; /* another command was faster */
    if (from < 0)
        return strerror(errno);
    const char *why = refuse(directory, name, from);
    if (!why && copy_file(from, directory, temporary, used) && renameat(directory, temporary, directory, name) == 0) {
        unlink(memory);
        unlinkat(directory, left, 0); /* a copy that the process itself did not finish */
    } else if (!why) {
        why = strerror(errno);
        unlinkat(directory, temporary, 0);
    }
    close(from);
    return why;
}

bool adopt_profile(const char *path, const char *memory, uint64_t used, char *error, size_t error_size)
{
    const char *slash = strrchr(path, '/'), *why = "it is not a file of pcomp's memory";
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (is_named_by_library(path, memory)) {
        int directory = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        why = directory < 0 ? strerror(errno) : adopt_in(directory, slash ? slash + 1 : path, memory, used);
        if (directory >= 0)
            close(directory);
    }
    free(folder);
    if (why)
        snprintf(error, error_size, "%s", why);
    return why == NULL;
}
