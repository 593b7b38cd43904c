#include "reporters/profile/data_directory.h"

#include "compensation/numeric/array.h"
#include "reporters/profile/adoption.h"
#include "reporters/profile/profile_file.h"
#include "reporters/profile/run_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void warn(struct data_directory *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(struct data_directory *d, const char *format, ...)
{
    char **grown = realloc(d->warnings, (d->warning_count + 1) * sizeof *grown);
    if (!grown)
        return;
    d->warnings = grown;
    va_list args;
    va_start(args, format);
    char *text;
    if (vasprintf(&text, format, args) >= 0)
        d->warnings[d->warning_count++] = text;
    va_end(args);
}

/* "<pid>-<n>.pcomp" */
static bool parse_name(const char *name, int *pid, unsigned *image)
{
    int end = 0;
    if (*name < '1' || *name > '9')
        return false;
    return sscanf(name, "%9d-%9u.pcomp%n", pid, image, &end) == 2 && end > 0 && !name[end];
}

static int compare_files(const void *x, const void *y)
{
    const struct data_file *a = x, *b = y;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->image < b->image ? -1 : a->image > b->image;
}

static bool add_file(struct data_directory *d, size_t *room, const char *path, int pid, unsigned image)
{
    if (!ARRAY_ROOM(d->files, d->file_count, *room))
        return false;
    struct data_file *file = &d->files[d->file_count];
    *file = (struct data_file){.path = strdup(path), .pid = pid, .image = image};
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) {
        target[length] = 0;
        file->memory = strdup(target);
    }
    d->file_count += file->path != NULL;
    return file->path != NULL;
}

static bool list_files(struct data_directory *d)
{
    DIR *dir = opendir(d->path);
    if (!dir)
        return false;
    size_t room = 0;
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(dir));) {
        int pid;
        unsigned image;
        char path[PATH_MAX];
        if (!parse_name(e->d_name, &pid, &image))
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", d->path, e->d_name) < sizeof path)
            ok = add_file(d, &room, path, pid, image);
    }
    closedir(dir);
    if (d->file_count)
        qsort(d->files, d->file_count, sizeof *d->files, compare_files);
    if (!ok)
        errno = ENOMEM;
    return ok;
}

static void read_run(struct data_directory *d)
{
    char path[PATH_MAX], line[256];
    if ((size_t)snprintf(path, sizeof path, "%s/run", d->path) >= sizeof path)
        return;
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fgets(line, sizeof line, f) && !strncmp(line, "pcomp-run ", 10))
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "id %32[0-9a-f]", d->run_id) == 1)
                break;
    fclose(f);
}

/* Field 22 of /proc/PID/stat; 0 when there is no such process, or nothing of it runs any more. *headless: its first
 * thread has ended, but others run. */
static unsigned long long start_time(int pid, bool *headless)
{
    char path[64], text[2048];
    *headless = false;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[length] = 0;
    char *at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at)
        return 0;
    char state = 0;
    unsigned long long start = 0;
    long threads = 0;
    if (sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu", &state,
               &threads, &start) != 3)
        return 0;
    bool ended = state == 'Z' || state == 'X';
    *headless = ended && threads > 1;
    return ended && !*headless ? 0 : start;
}

static bool same_boot(const uint8_t boot_id[16])
{
    char text[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!f)
        return true;
    bool read = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    uint8_t id[16] = {0};
    int digits = 0;
    for (const char *c = text; read && *c && digits < 32; c++) {
        int value = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;
        if (value < 0)
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | value);
        digits++;
    }
    return digits < 32 || !memcmp(id, boot_id, sizeof id);
}

bool data_process_runs(const struct pcomp_header *header)
{
    bool headless;
    return header->pid > 0 && same_boot(header->boot_id) && start_time(header->pid, &headless) == header->process_start;
}

/* False when the process surely does not have the file mapped: it has exec'ed another image. */
static bool still_maps(int pid, const char *path)
{
    struct stat st;
    char name[64], line[PATH_MAX + 128], real[PATH_MAX];
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *f = stat(path, &st) == 0 && realpath(path, real) ? fopen(name, "re") : NULL;
    if (!f)
        return true;
    bool found = false, any = false, headless = false;
    while (!found && fgets(line, sizeof line, f)) {
        unsigned long long inode = 0;
        int at = 0;
        any = true;
        if (sscanf(line, "%*s %*s %*s %*s %llu %n", &inode, &at) < 1 || !at)
            continue;
        line[strcspn(line, "\n")] = 0;
        found = inode == (unsigned long long)st.st_ino || !strcmp(line + at, real);
    }
    fclose(f);
    if (!any) /* no memory of its own: a kernel thread, or a process whose first thread has ended */
        start_time(pid, &headless);
    return found || headless;
}

static void find_status(struct data_directory *d, size_t i)
{
    struct data_file *file = &d->files[i];
    struct pcomp_header header;
    char error[512];
    struct stat st;
    file->status = DATA_ENDED;
    if (stat(file->path, &st)) {
        if (file->memory && errno == ENOENT)
            file->status = DATA_GONE;
        return;
    }
    if (!profile_file_read_header(file->path, &header, error, sizeof error)) {
        /* Damage is for the reader to report, unless the file is just being made. */
        bool headless;
        if (file->pid && start_time(file->pid, &headless) && still_maps(file->pid, file->path))
            file->status =
                faccessat(AT_FDCWD, file->path, R_OK, AT_EACCESS) && errno == EACCES ? DATA_DENIED : DATA_STARTING;
        return;
    }
    bool later_image = i + 1 < d->file_count && d->files[i + 1].pid == file->pid && file->pid;
    if (header.state == PCOMP_STATE_LIVE && !later_image && data_process_runs(&header) &&
        still_maps(header.pid, file->path))
        file->status = DATA_LIVE;
}

static void fetch(struct data_directory *d, struct data_file *file)
{
    struct pcomp_header header;
    char error[512];
    if (!profile_file_read_header(file->path, &header, error, sizeof error))
        return;
    /* At its normal exit the process copies the file itself; only if that failed, somebody else must. */
    if (header.state == PCOMP_STATE_CLOSED && data_process_runs(&header) && still_maps(header.pid, file->path))
        return;
    if (adopt_profile(file->path, file->memory, header.used, error, sizeof error)) {
        free(file->memory);
        file->memory = NULL;
    } else {
        warn(d, "%s: stays in memory (%s): %s", file->path, file->memory, error);
    }
}

static bool fail(struct data_directory *d, char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(struct data_directory *d, char *error, size_t error_size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, error_size, format, args);
    va_end(args);
    data_directory_close(d);
    return false;
}

/* What a replay leaves where its bounds differ. */
static bool has_bounds(const char *path)
{
    char lower[PATH_MAX], model[PATH_MAX];
    return (size_t)snprintf(lower, sizeof lower, "%s/lower/run", path) < sizeof lower &&
           (size_t)snprintf(model, sizeof model, "%s/model/run", path) < sizeof model && access(lower, F_OK) == 0 &&
           access(model, F_OK) == 0;
}

/* A file that was named instead of a data directory and is no profile. False with the reason. */
static bool could_be_profile(const char *path, char *why, size_t size)
{
    char start[8] = "";
    FILE *file = fopen(path, "re");
    size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (!file || !got || !memcmp(start, PCOMP_MAGIC, got) || !memcmp(start, "\0\0\0\0\0\0\0\0", got)) {
        if (file)
            fclose(file);
        return true; /* damage is for the reader to report */
    }
    fclose(file);
    if (got >= 4 && !memcmp(start, "\177ELF", 4))
        snprintf(why, size, "is a program or a library, not a profile (pcomp record -- PROG makes one)");
    else
        snprintf(why, size, "is not a pcomp profile (name the directory that pcomp record wrote)");
    return false;
}

/* Of a set of runs, one is read. */
static char *directory_of_run(struct data_directory *d, const char *path)
{
    unsigned run;
    struct run_set set;
    char *one = run_set_one(path, &run);
    if (!one)
        return strdup(path);
    run_set_read(path, &set);
    warn(d, "%s has %u runs: this is run %u%s (%s/1 and so on are the others; pcomp diff takes all of them)", path,
         set.runs, run, set.middle == run ? ", the one in the middle by its time" : "", path);
    return one;
}

bool data_directory_open(const char *path, bool adopt, struct data_directory *d, char *error, size_t error_size)
{
    struct stat st;
    *d = (struct data_directory){0};
    d->path = directory_of_run(d, path);
    if (!d->path)
        return fail(d, error, error_size, "%s: out of memory", path);
    char copy[PATH_MAX];
    if ((size_t)snprintf(copy, sizeof copy, "%s", d->path) < sizeof copy)
        path = copy; /* which outlives d->path where this fails */
    if (stat(path, &st) && errno == ENOENT)
        return fail(d, error, error_size, "%s: not found (record a program first: pcomp record -o %s -- PROGRAM)", path,
                    path);
    if (!S_ISDIR(st.st_mode)) {
        size_t room = 0;
        int pid = 0;
        unsigned image = 0;
        const char *name = strrchr(path, '/');
        bool named = parse_name(name ? name + 1 : path, &pid, &image);
        char why[160];
        if (!could_be_profile(path, why, sizeof why))
            return fail(d, error, error_size, "%s: %s", path, why);
        if (!add_file(d, &room, path, named ? pid : 0, named ? image : 0))
            return fail(d, error, error_size, "%s: out of memory", path);
    } else if (!list_files(d)) {
        return fail(d, error, error_size, "%s: cannot be read: %s", path, strerror(errno));
    } else {
        read_run(d);
        if (!d->file_count && has_bounds(path))
            return fail(d, error, error_size,
                        "%s: holds lower, upper and model of a replay, each a data directory (name one: %s/model)",
                        path, path);
        if (!d->file_count && !d->run_id[0])
            return fail(d, error, error_size,
                        "%s: not a data directory: it has no profile (name the directory that pcomp record wrote)",
                        path);
        if (!d->file_count)
            return fail(d, error, error_size,
                        "%s: no profile in it: no instrumented function ran (build with -finstrument-functions)", path);
    }
    for (size_t i = 0; i < d->file_count; i++)
        find_status(d, i);
    for (size_t i = 0; adopt && i < d->file_count; i++)
        if (d->files[i].memory && d->files[i].status == DATA_ENDED)
            fetch(d, &d->files[i]);
    return true;
}

void data_directory_close(struct data_directory *d)
{
    for (size_t i = 0; i < d->file_count; i++) {
        free(d->files[i].path);
        free(d->files[i].memory);
    }
    for (size_t i = 0; i < d->warning_count; i++)
        free(d->warnings[i]);
    free(d->files);
    free(d->warnings);
    free(d->path);
    *d = (struct data_directory){0};
}
