#include "profiler/process/run_directory.h"

#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUN_TEXT "pcomp-run 1\nid "

static struct stat root; /* when the directory was opened */

struct entry { /* of getdents64 */
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static ssize_t read_text(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, to, size - 1);
    descriptor_close(fd);
    to[n > 0 ? n : 0] = 0;
    return n;
}

unsigned long long process_start_time(int pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    if (read_text(path, text, sizeof(text)) <= 0)
        return 0;
    char *at = strrchr(text, ')'); /* the name before it may contain anything */
    if (!at || at[1] != ' ' || at[2] == 'Z')
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

void read_boot_id(unsigned char id[16])
{
    char text[64];
    memset(id, 0, 16);
    if (read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text)) < 36)
        return;
    int digits = 0;
    for (const char *c = text; *c && digits < 32; c++) {
        if (*c == '-')
            continue;
        unsigned value = (unsigned)(*c <= '9' ? *c - '0' : *c - 'a' + 10) & 15;
        id[digits / 2] = (unsigned char)(digits % 2 ? id[digits / 2] | value : value << 4);
        digits++;
    }
}

/* Calls `visit` for each entry; stops when it returns true, and returns that. */
static bool each_entry(const char *directory, bool (*visit)(const char *directory, const char *name))
{
    char buffer[4096] __attribute__((aligned(8)));
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    bool stop = false;
    if (fd < 0)
        return false;
    for (long n; !stop && (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0;)
        for (long at = 0; at < n && !stop;) {
            struct entry *e = (struct entry *)(buffer + at);
            at += e->length;
            if (strcmp(e->name, ".") && strcmp(e->name, ".."))
                stop = visit(directory, e->name);
        }
    descriptor_close(fd);
    return stop;
}

static bool is_profile(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".pcomp");
}

/* "<pid>-<n>.<location>.trace", also compressed. */
static bool is_trace(const char *name)
{
    unsigned pid, image, location;
    int end = 0;
    return sscanf(name, "%9u-%9u.%9u.trace%n", &pid, &image, &location, &end) == 3 && end > 0 &&
           (!name[end] || !strcmp(name + end, ".zst"));
}

static bool is_live(const char *directory, const char *name)
{
    char path[4400];
    struct pcomp_header header;
    unsigned char boot[16];
    if (!is_profile(name) || (size_t)snprintf(path, sizeof(path), "%s/%s", directory, name) >= sizeof(path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, &header, sizeof(header));
    descriptor_close(fd);
    read_boot_id(boot);
    return n == (ssize_t)sizeof(header) && !memcmp(header.magic, PCOMP_MAGIC, 8) && header.state == PCOMP_STATE_LIVE &&
           !memcmp(boot, header.boot_id, 16) && process_start_time(header.pid) == header.process_start;
}

/* Removes the memory that the link leads to, if it is of the same owner: who made the link may be somebody else. */
static void remove_memory(const char *path)
{
    char target[4400];
    struct stat link, memory;
    ssize_t n = readlink(path, target, sizeof(target) - 1);
    target[n > 0 ? n : 0] = 0;
    if (!strncmp(target, "/dev/shm/pcomp-", 15) && !strchr(target + 15, '/') && lstat(path, &link) == 0 &&
        lstat(target, &memory) == 0 && link.st_uid == memory.st_uid)
        unlink(target);
}

/* Removes what pcomp itself writes, nothing else. */
static bool remove_entry(const char *directory, const char *name)
{
    char path[4400];
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", directory, name) >= sizeof(path))
        return false;
    const char *end = strrchr(name, '.');
    if (is_profile(name)) {
        remove_memory(path);
        unlink(path);
    } else if (!strcmp(name, "run") || !strcmp(name, "filter") || is_trace(name) || (end && !strcmp(end, ".tmp")))
        unlink(path);
    return false;
}

static const char *rename_aside(const char *directory)
{
    char old[4300];
    snprintf(old, sizeof(old), "%s.old", directory);
    char old_run[4400];
    snprintf(old_run, sizeof(old_run), "%s/run", old);
    if (access(old_run, F_OK) == 0) {
        each_entry(old, remove_entry);
        rmdir(old);
    }
    return rename(directory, old) == 0 ? NULL : "cannot move the older data directory aside";
}

static bool read_id(const char *directory, char id[33])
{
    char path[4400], text[256];
    snprintf(path, sizeof(path), "%s/run", directory);
    size_t lead = strlen(RUN_TEXT);
    if (read_text(path, text, sizeof(text)) < (ssize_t)(lead + 32) || strncmp(text, RUN_TEXT, lead))
        return false;
    memcpy(id, text + lead, 32);
    id[32] = 0;
    return true;
}

/* Moves the directory away if it still is that of the run `id`. Processes that start together find the same older one:
 * the first moves it, and the others must not move what the first has made in its place. */
static const char *move_aside(const char *directory, const char id[33])
{
    char found[33];
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : "cannot move the older data directory aside";
    flock(fd, LOCK_EX);
    struct stat locked, there;
    bool is_it = fstat(fd, &locked) == 0 && stat(directory, &there) == 0 && locked.st_ino == there.st_ino &&
                 locked.st_dev == there.st_dev && read_id(directory, found) && !strcmp(id, found);
    const char *wrong = is_it ? rename_aside(directory) : NULL;
    int why = errno;
    descriptor_close(fd);
    errno = why;
    return wrong;
}

static void id_text(const unsigned char bytes[16], char id[33])
{
    for (int i = 0; i < 16; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

static void new_id(char id[33])
{
    unsigned char bytes[16];
    store_random(bytes, sizeof(bytes));
    id_text(bytes, id);
}

static bool write_run_file(const char *directory, const char *id)
{
    char path[4400], text[64];
    snprintf(path, sizeof(path), "%s/run", directory);
    int n = snprintf(text, sizeof(text), RUN_TEXT "%s\n", id);
    errno = 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool done = fd >= 0 && write(fd, text, (size_t)n) == n;
    int why = errno;
    if (fd >= 0)
        descriptor_close(fd);
    if (!done && fd >= 0)
        unlink(path);
    errno = done ? 0 : why ? why : ENOSPC;
    return done;
}

static const char *create(const char *directory, char id[33])
{
    if (mkdir(directory, 0777) != 0)
        return "cannot create the data directory";
    if (*config.run_id)
        strcpy(id, config.run_id);
    else
        new_id(id);
    if (write_run_file(directory, id))
        return NULL;
    int why = errno;
    rmdir(directory);
    errno = why;
    return "cannot write to the data directory";
}

int run_directory_for_snapshot(const char *label, char *path, size_t size)
{
    char id[33], found[33];
    if (!read_id(config.data, id) || (size_t)snprintf(path, size, "%s.%s", config.data, label) >= size)
        return ENODATA;
    if (mkdir(path, 0777) == 0)
        return write_run_file(path, id) ? 0 : errno;
    if (errno != EEXIST || !read_id(path, found))
        return errno ? errno : EEXIST; /* not one of ours */
    if (!strcmp(id, found))
        return 0;
    each_entry(path, remove_entry);
    return write_run_file(path, id) ? 0 : errno;
}

const char *run_directory_open(char id[33])
{
    const char *directory = config.data;
    struct rlimit limit;
    stat("/", &root);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < STORE_MIN) {
        errno = EFBIG; /* any writing would raise SIGXFSZ */
        return "no room below the limit on the size of files";
    }
    for (int tries = 0; tries < 100; tries++) {
        const char *wrong = create(directory, id);
        if (!wrong || errno != EEXIST)
            return wrong;
        if (!read_id(directory, id)) {
            if (tries < 20) { /* a process of the same run may be writing it just now */
                usleep(1000);
                continue;
            }
            errno = EEXIST;
            return "is there, but is not a data directory of pcomp";
        }
        if (!strcmp(id, config.run_id) || each_entry(directory, is_live))
            return NULL;
        if ((wrong = move_aside(directory, id)) && errno != ENOENT)
            return wrong;
    }
    return "cannot create the data directory";
}

enum run_directory_end run_directory_check(const unsigned char id[16])
{
    struct stat now;
    char text[33];
    if (access(config.data, F_OK) == 0 || errno != ENOENT || stat("/", &now) != 0 || now.st_dev != root.st_dev ||
        now.st_ino != root.st_ino)
        return RUN_DIRECTORY_THERE;
    if (config.trace || mkdir(config.data, 0777) != 0)
        return RUN_DIRECTORY_GONE;
    id_text(id, text);
    if (write_run_file(config.data, text))
        return RUN_DIRECTORY_MADE_AGAIN;
    rmdir(config.data);
    return RUN_DIRECTORY_GONE;
}
