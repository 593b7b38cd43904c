#include "reporters/launch/record_directory.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/launch/record_job.h"
#include "reporters/profile/data_directory.h"
#include "reporters/profile/run_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_join(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static bool has_run_file(const char *directory)
{
    char *path = path_join(directory, "run");
    bool has = path && access(path, F_OK) == 0;
    free(path);
    return has;
}

static bool is_empty(const char *directory)
{
    DIR *stream = opendir(directory);
    bool empty = stream != NULL;
    for (struct dirent *entry; empty && (entry = readdir(stream));)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (stream)
        closedir(stream);
    return empty;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), size = strlen(end);
    return length > size && !strcmp(name + length - size, end);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* What pcomp writes into a data directory; anything else is the user's and stays. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {"run", "filter", "replay", "waiting"};
    return is_one_of(name, names, sizeof names / sizeof *names) || ends_in(name, ".pcomp") || ends_in(name, ".trace") ||
           ends_in(name, ".trace.zst") || (name[0] == '.' && ends_in(name, ".tmp"));
}

/* A run of a set (run_set.h). */
static bool is_number(const char *name)
{
    return *name >= '1' && *name <= '9' && !name[strspn(name, "0123456789")];
}

/* Removes a data directory that has only files of ours. False with errno. */
static bool remove_directory(const char *directory)
{
    static const char *const bounds[] = {"lower", "upper", "model"}; /* of a replay: data directories themselves */
    DIR *stream = opendir(directory);
    if (!stream)
        return false;
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (is_ours(entry->d_name)) {
            unlinkat(dirfd(stream), entry->d_name, 0);
        } else if (is_number(entry->d_name) || is_one_of(entry->d_name, bounds, sizeof bounds / sizeof *bounds)) {
            char *path = path_join(directory, entry->d_name);
            if (path && has_run_file(path))
                remove_directory(path);
            free(path);
        }
    }
    closedir(stream);
    return rmdir(directory) == 0;
}

/* Fetches what ended processes left in memory, so that the directory can be moved or removed. False after a message:
 * a process is still using it. */
static bool fetch_profiles(const char *directory)
{
    struct run_set set;
    if (run_set_read(directory, &set)) {
        size_t count = 0;
        char **runs = run_set_list(directory, &set, &count);
        bool fetched = true;
        for (size_t i = 0; runs && fetched && i < count; i++)
            fetched = fetch_profiles(runs[i]);
        run_set_list_free(runs, count);
        return fetched;
    }
    struct data_directory data;
    char error[1024] = "";
    if (!data_directory_open(directory, true, &data, error, sizeof error))
        return true; /* damaged or empty: nobody uses it */
    int live = 0;
    for (size_t i = 0; i < data.file_count; i++)
        if (data.files[i].status == DATA_LIVE || data.files[i].status == DATA_STARTING ||
            data.files[i].status == DATA_DENIED)
            live = data.files[i].pid;
    data_directory_close(&data);
    if (live)
        message_failure("%s: process %d is still writing to it (wait for it, or give another directory with -o)",
                        directory, live);
    return !live;
}

/* Moves path to PATH.old. False after a message. */
static bool move_aside(struct record_directory *directory)
{
    struct stat status;
    if (!fetch_profiles(directory->path))
        return false;
    if (asprintf(&directory->moved_to, "%s.old", directory->path) < 0) {
        directory->moved_to = NULL;
        message_no_memory("record");
        return false;
    }
    if (lstat(directory->moved_to, &status) == 0) {
        bool ours = S_ISDIR(status.st_mode) && has_run_file(directory->moved_to);
        if (ours && !fetch_profiles(directory->moved_to))
            goto failed;
        if (!ours || !remove_directory(directory->moved_to)) {
            message_failure("%s: holds what is not pcomp's, so older data cannot move there (move it away)",
                            directory->moved_to);
            goto failed;
        }
    }
    if (rename(directory->path, directory->moved_to) == 0)
        return true;
    message_failure("%s: cannot be moved to %s: %s", directory->path, directory->moved_to, strerror(errno));
failed:
    free(directory->moved_to);
    directory->moved_to = NULL;
    return false;
}

bool record_directory_new_id(unsigned char id[16])
{
    return getrandom(id, 16, 0) == 16;
}

static void id_text(const unsigned char id[16], char text[33])
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
}

bool record_directory_write_run(const char *directory, const unsigned char id[16], char text[33])
{
    id_text(id, text);
    char *path = path_join(directory, "run");
    FILE *file = path ? fopen(path, "wxe") : NULL;
    bool good = file && fprintf(file, "pcomp-run 1\nid %s\n", text) > 0;
    if (file)
        good = fclose(file) == 0 && good;
    free(path);
    return good;
}

/* Absolute, without slashes at the end; the directory itself need not be there. NULL with errno. */
static char *path_absolute(const char *name)
{
    char *path = NULL, *cwd = *name == '/' ? strdup("") : getcwd(NULL, 0);
    if (cwd && asprintf(&path, "%s%s%s", cwd, *name == '/' ? "" : "/", name) < 0)
        path = NULL;
    free(cwd);
    for (size_t length = path ? strlen(path) : 0; length > 1 && path[length - 1] == '/';)
        path[--length] = 0;
    return path;
}

/* False after a message. */
static bool fill_in(struct record_directory *directory, const char *name)
{
    *directory = (struct record_directory){.path = path_absolute(name), .lock = -1};
    if (!directory->path)
        message_failure("%s: %s", name, strerror(errno));
    else if (strlen(directory->path) > 4000)
        message_failure("%s: the path is too long", name);
    else
        return true;
    return false;
}

/* Looks at what is there. False after a message. */
static bool inspect(struct record_directory *directory, const char *name, bool *is_there, bool *empty)
{
    struct stat status;
    *is_there = stat(directory->path, &status) == 0;
    *empty = *is_there && is_empty(directory->path);
    if (!*is_there || *empty || (S_ISDIR(status.st_mode) && has_run_file(directory->path)))
        return true;
    message_failure("%s: is there, but is not a data directory (give another name with -o)", name);
    return false;
}

bool record_directory_check(const char *name)
{
    struct record_directory directory;
    bool is_there, empty, ok = fill_in(&directory, name) && inspect(&directory, name, &is_there, &empty);
    ok = ok && (!is_there || empty || fetch_profiles(directory.path));
    record_directory_free(&directory);
    return ok;
}

bool record_directory_put(const char *made, const char *name)
{
    struct record_directory directory;
    bool is_there, empty, ok = fill_in(&directory, name) && inspect(&directory, name, &is_there, &empty);
    ok = ok && (!is_there || empty || move_aside(&directory));
    if (ok && rename(made, directory.path) != 0) {
        message_failure("%s: cannot be moved to %s: %s", made, name, strerror(errno));
        if (directory.moved_to)
            rename(directory.moved_to, directory.path);
        ok = false;
    }
    record_directory_free(&directory);
    return ok;
}

/* Whether the directory is there and of the run with the id `text`. */
static bool is_of_run(const char *directory, const char *text)
{
    char *path = path_join(directory, "run"), found[33] = "";
    FILE *file = path ? fopen(path, "re") : NULL;
    bool is = file && fscanf(file, "pcomp-run 1\nid %32s", found) == 1 && !strcmp(found, text);
    if (file)
        fclose(file);
    free(path);
    return is;
}

/* The processes of a job come one after the other: the first creates the directory, the others join it. */
static void lock_others_out(struct record_directory *directory)
{
    char *parent = strndup(directory->path, (size_t)(strrchr(directory->path, '/') - directory->path) + 1);
    directory->lock = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory->lock >= 0)
        flock(directory->lock, LOCK_EX);
    free(parent);
}

void record_directory_ready(struct record_directory *directory)
{
    if (directory->lock >= 0)
        close(directory->lock);
    directory->lock = -1;
}

static bool create(struct record_directory *directory, const char *name, const unsigned char id[16])
{
    bool is_there, empty;
    if (!inspect(directory, name, &is_there, &empty))
        return false;
    if (is_there && !empty && !move_aside(directory))
        return false;
    if ((!empty && mkdir(directory->path, 0777) != 0) ||
        !record_directory_write_run(directory->path, id, directory->run_id)) {
        message_failure("%s: cannot be created: %s (%s)", name, strerror(errno),
                        errno == EFBIG ? "raise the limit: ulimit -f" : "give another place with -o");
        record_directory_discard(directory);
        return false;
    }
    return true;
}

bool record_directory_create(struct record_directory *directory, const char *name)
{
    unsigned char id[16];
    if (!fill_in(directory, name))
        return false;
    directory->shared = record_job_find(id, &directory->rank);
    if (directory->shared)
        lock_others_out(directory);
    else if (!record_directory_new_id(id)) {
        message_failure("%s: no run id could be made: %s", name, strerror(errno));
        return false;
    }
    id_text(id, directory->run_id);
    directory->joined = directory->shared && is_of_run(directory->path, directory->run_id);
    return directory->joined || create(directory, name, id);
}

void record_directory_discard(struct record_directory *directory)
{
    if (directory->shared)
        return;
    remove_directory(directory->path);
    if (directory->moved_to && access(directory->path, F_OK) != 0)
        rename(directory->moved_to, directory->path);
}

void record_directory_free(struct record_directory *directory)
{
    record_directory_ready(directory);
    free(directory->path);
    free(directory->moved_to);
}
