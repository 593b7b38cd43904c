#include "reporters/trace/files/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct pooled_file {
    char *path;
    int flags;
    int fd;         /* -1: closed for now */
    int failed;     /* errno of an earlier close */
    unsigned users; /* between use and done */
    dev_t device;
    ino_t inode;
    struct pooled_file *older, *newer; /* of those that are open and not in use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned open_count;
static struct pooled_file *oldest, *newest;

static unsigned max_open(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 64;
    return limit.rlim_cur / 2 > 16384 ? 16384 : limit.rlim_cur < 4 ? 1 : (unsigned)limit.rlim_cur / 2;
}

static void take_off(struct pooled_file *f)
{
    *(f->older ? &f->older->newer : &oldest) = f->newer;
    *(f->newer ? &f->newer->older : &newest) = f->older;
    f->older = f->newer = NULL;
}

static void put_on(struct pooled_file *f)
{
    f->older = newest;
    *(newest ? &newest->newer : &oldest) = f;
    newest = f;
}

static void shut(struct pooled_file *f)
{
    if (close(f->fd) != 0 && !f->failed)
        f->failed = errno;
    f->fd = -1;
    open_count--;
}

/* Locked. False: none is open that is not in use. */
static bool shut_oldest(void)
{
    struct pooled_file *f = oldest;
    if (f) {
        take_off(f);
        shut(f);
    }
    return f != NULL;
}

/* Locked; but the lock is free while a file that is new to the pool is opened: no other thread knows it, and to make
 * one may take long. False with errno. */
static bool open_it(struct pooled_file *f, int flags, unsigned mode, bool is_new)
{
    for (unsigned max = max_open(); open_count >= max && shut_oldest();)
        ;
    open_count++;
    do {
        if (is_new)
            pthread_mutex_unlock(&lock);
        f->fd = open(f->path, flags | O_CLOEXEC, mode);
        int why = errno;
        if (is_new)
            pthread_mutex_lock(&lock);
        errno = why;
    } while (f->fd < 0 && errno == EMFILE && shut_oldest());
    open_count -= f->fd < 0;
    return f->fd >= 0;
}

struct pooled_file *pooled_file_open(const char *path, int flags, unsigned mode)
{
    struct stat st;
    struct pooled_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        errno = ENOMEM;
        return NULL;
    }
    f->flags = flags & ~(O_CREAT | O_TRUNC | O_EXCL);
    pthread_mutex_lock(&lock);
    bool opened = open_it(f, flags, mode, true);
    bool good = opened && fstat(f->fd, &st) == 0;
    int why = errno;
    if (good) {
        f->device = st.st_dev;
        f->inode = st.st_ino;
        put_on(f);
    } else if (opened)
        shut(f);
    pthread_mutex_unlock(&lock);
    if (good)
        return f;
    free(f->path);
    free(f);
    errno = why;
    return NULL;
}

int pooled_file_use(struct pooled_file *f)
{
    struct stat st;
    int why = 0;
    pthread_mutex_lock(&lock);
    if (f->fd >= 0) {
        if (!f->users)
            take_off(f);
    } else if (!open_it(f, f->flags, 0, false)) {
        why = errno;
    } else if (fstat(f->fd, &st) != 0 || st.st_dev != f->device || st.st_ino != f->inode) {
        shut(f);
        why = ESTALE;
    }
    int fd = f->fd;
    f->users += fd >= 0;
    pthread_mutex_unlock(&lock);
    errno = why;
    return fd;
}

void pooled_file_done(struct pooled_file *f)
{
    int why = errno;
    pthread_mutex_lock(&lock);
    if (--f->users == 0)
        put_on(f);
    pthread_mutex_unlock(&lock);
    errno = why;
}

bool pooled_file_close(struct pooled_file *f)
{
    if (!f)
        return true;
    pthread_mutex_lock(&lock);
    if (f->fd >= 0) {
        take_off(f);
        shut(f);
    }
    pthread_mutex_unlock(&lock);
    int failed = f->failed;
    free(f->path);
    free(f);
    errno = failed;
    return !failed;
}
