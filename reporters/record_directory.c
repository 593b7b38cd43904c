#include "reporters/record_directory.h"

#include "reporters/data_directory.h"
#include "reporters/message.h"
#include "reporters/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What pcomp writes into a data directory; anything else is the user's and stays. */
static bool is_ours(const char *name)
{
    size_t length = strlen(name);
    return !strcmp(name, "run") || !strcmp(name, "filter") || (length > 6 && !strcmp(name + length - 6, ".pcomp")) ||
           (name[0] == '.' && length > 4 && !strcmp(name + length - 4, ".tmp"));
}

/* Removes a data directory that has only files of ours. False with errno. */
static bool remove_directory(const char *directory)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return false;
    for (struct dirent *entry; (entry = readdir(stream));)
        if (is_ours(entry->d_name))
            unlinkat(dirfd(stream), entry->d_name, 0);
    closedir(stream);
    return rmdir(directory) == 0;
}

/* Fetches what ended processes left in memory, so that the directory can be moved or removed. False after a message:
 * a process is still using it. */
static bool settle(const char *directory)
{
    struct data_directory data;
    char error[1024] = "";
    if (!data_directory_open(directory, true, &data, error, sizeof error))
        return true; /* damaged or empty: nobody uses it */
    int live = 0;
    for (size_t i = 0; i < data.file_count; i++)
        if (data.files[i].status == DATA_LIVE || data.files[i].status == DATA_STARTING)
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
    if (!settle(directory->path))
        return false;
    if (asprintf(&directory->moved_to, "%s.old", directory->path) < 0) {
        directory->moved_to = NULL;
        message_no_memory("record");
        return false;
    }
    if (lstat(directory->moved_to, &status) == 0) {
        bool ours = S_ISDIR(status.st_mode) && has_run_file(directory->moved_to);
        if (ours && !settle(directory->moved_to))
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

static bool write_run_file(struct record_directory *directory)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < 16; i++)
        snprintf(directory->run_id + 2 * i, 3, "%02x", bytes[i]);
    char *path = path_join(directory->path, "run");
    FILE *file = path ? fopen(path, "wxe") : NULL;
    bool good = file && fprintf(file, "pcomp-run 1\nid %s\n", directory->run_id) > 0;
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

bool record_directory_create(struct record_directory *directory, const char *name)
{
    *directory = (struct record_directory){.path = path_absolute(name)};
    struct stat status;
    if (!directory->path) {
        message_failure("%s: %s", name, strerror(errno));
        return false;
    }
    if (strlen(directory->path) > 4000) {
        message_failure("%s: the path is too long", name);
        return false;
    }
    bool is_there = stat(directory->path, &status) == 0, empty = is_there && is_empty(directory->path);
    if (is_there && !empty && !(S_ISDIR(status.st_mode) && has_run_file(directory->path))) {
        message_failure("%s: is there, but is not a data directory (give another name with -o)", name);
        return false;
    }
    if (is_there && !empty && !move_aside(directory))
        return false;
    if ((!empty && mkdir(directory->path, 0777) != 0) || !write_run_file(directory)) {
        message_failure("%s: cannot be created: %s (give another place with -o)", name, strerror(errno));
        record_directory_discard(directory);
        return false;
    }
    return true;
}

void record_directory_discard(struct record_directory *directory)
{
    remove_directory(directory->path);
    if (directory->moved_to && access(directory->path, F_OK) != 0)
        rename(directory->moved_to, directory->path);
}

void record_directory_free(struct record_directory *directory)
{
    free(directory->path);
    free(directory->moved_to);
}
