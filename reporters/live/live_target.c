#include "reporters/live/live_target.h"

#include "reporters/profile/data_directory.h"
#include "reporters/profile/profile_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY_DEFAULT "pcomp.data" /* of a program that was started without PCOMP_DATA */
#define ANCESTORS_MAX     64

/* The process id as text; 0: it is none. */
static int process_id(const char *text)
{
    char *end;
    errno = 0;
    long pid = strtol(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno && pid > 0 && pid <= INT_MAX ? (int)pid : 0;
}

/* Whether a path is that of the profile of the process: "DIR/<pid>-<n>.pcomp", "/dev/shm/pcomp-...-<pid>-<n>". */
static bool is_profile_of(const char *path, int pid)
{
    char own[32];
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = strlen(name);
    int digits = snprintf(own, sizeof own, "%d-", pid);
    if (length > 6 && !strcmp(name + length - 6, ".pcomp"))
        return !strncmp(name, own, (size_t)digits);
    if (strncmp(name, "pcomp-", 6) != 0)
        return false;
    const char *image = strrchr(name, '-');
    snprintf(own, sizeof own, "-%d", pid);
    size_t own_length = strlen(own);
    return image - name > (ptrdiff_t)own_length && !strncmp(image - own_length, own, own_length);
}

/* Path of the profile file that the process has mapped; false where there is none, with errno where that is not known.
 */
static bool mapped_profile(int pid, char path[PATH_MAX])
{
    char name[64], line[PATH_MAX + 128];
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *f = fopen(name, "re");
    if (!f)
        return false;
    while (!found && fgets(line, sizeof line, f)) {
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*s %*s %*s %*s %*s %n", &at) < 0 || !at || line[at] != '/' || !is_profile_of(line + at, pid))
            continue;
        snprintf(path, PATH_MAX, "%s", line + at);
        found = true;
    }
    fclose(f);
    errno = 0;
    return found;
}

/* Value of a variable in the environment that the process was started with; malloc'ed, NULL none. */
static char *variable_of(int pid, const char *variable)
{
    char name[64], *entry = NULL, *value = NULL;
    size_t room = 0, length = strlen(variable);
    snprintf(name, sizeof name, "/proc/%d/environ", pid);
    FILE *f = fopen(name, "re");
    while (f && !value && getdelim(&entry, &room, 0, f) > 0)
        if (!strncmp(entry, variable, length) && entry[length] == '=')
            value = strdup(entry + length + 1);
    if (f)
        fclose(f);
    free(entry);
    return value;
}

/* Whether `dir` has a link to the memory that the process measures into. */
static bool leads_to(const char *dir, const char *memory)
{
    struct data_directory d;
    char error[512];
    bool found = false;
    if (!data_directory_open(dir, false, &d, error, sizeof error))
        return false;
    for (size_t i = 0; i < d.file_count; i++)
        found |= d.files[i].memory && !strcmp(d.files[i].memory, memory);
    data_directory_close(&d);
    return found;
}

/* The data directory of a process that measures into memory: by its environment. NULL: not found. */
static char *directory_of(int pid, const char *memory)
{
    char name[64], cwd[PATH_MAX], *dir = NULL, *given = variable_of(pid, "PCOMP_DATA");
    const char *data = given && *given ? given : DIRECTORY_DEFAULT;
    snprintf(name, sizeof name, "/proc/%d/cwd", pid);
    ssize_t length = readlink(name, cwd, sizeof cwd - 1);
    if (*data == '/')
        dir = strdup(data);
    else if (length > 0 && asprintf(&dir, "%.*s/%s", (int)length, cwd, data) < 0)
        dir = NULL;
    free(given);
    if (dir && !leads_to(dir, memory)) {
        free(dir);
        dir = NULL;
    }
    return dir;
}

static bool target_of_process(int pid, struct live_target *target)
{
    char path[PATH_MAX];
    if (!mapped_profile(pid, path))
        return false;
    char *slash = strrchr(path, '/');
    size_t length = strlen(path);
    *target = (struct live_target){NULL, pid};
    if (strcmp(path + length - 6, ".pcomp") != 0) {
        target->dir = directory_of(pid, path);
    } else {
        *slash = 0;
        target->dir = strdup(path);
        *slash = '/';
    }
    if (!target->dir)
        target->dir = strdup(path);
    return target->dir;
}

/* Parent of a process; 0 unknown. */
static int parent_of(int pid)
{
    char name[64], text[1024] = "";
    int parent = 0;
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    FILE *f = fopen(name, "re");
    if (!f)
        return 0;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    return at && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool descends_from(int pid, int ancestor)
{
    for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++)
        if ((pid = parent_of(pid)) == ancestor)
            return true;
    return false;
}

/* The run of a process that `pid` started, itself or through others. */
static bool target_of_child(int pid, struct live_target *target)
{
    DIR *proc = opendir("/proc");
    bool found = false;
    for (struct dirent *e; proc && !found && (e = readdir(proc));) {
        int child = process_id(e->d_name);
        found = child && descends_from(child, pid) && target_of_process(child, target);
    }
    if (proc)
        closedir(proc);
    if (found)
        target->process = 0;
    return found;
}

bool live_target_find(const char *operand, struct live_target *target, char *error, size_t error_size)
{
    int pid = access(operand, F_OK) ? process_id(operand) : 0;
    char name[64];
    *target = (struct live_target){NULL, 0};
    if (!pid) {
        target->dir = strdup(operand);
        if (!target->dir)
            snprintf(error, error_size, "%s: out of memory", operand);
        return target->dir;
    }
    if (target_of_process(pid, target) || target_of_child(pid, target))
        return true;
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    if (access(name, F_OK))
        snprintf(error, error_size, "%d: no such process, and no data directory of that name", pid);
    else if (access(name, R_OK) || (errno = 0, !mapped_profile(pid, (char[PATH_MAX]){0}) && errno))
        snprintf(error, error_size, "process %d: belongs to another user (name its data directory)", pid);
    else
        snprintf(error, error_size,
                 "process %d: has no profile: it is not measured, or none of its functions ran yet (start it with: "
                 "pcomp record -- PROGRAM)",
                 pid);
    return false;
}

void live_target_free(struct live_target *target)
{
    free(target->dir);
    *target = (struct live_target){NULL, 0};
}

bool live_target_check(const char *dir, char *error, size_t error_size)
{
    struct data_directory d;
    bool good = true;
    if (!data_directory_open(dir, false, &d, error, error_size))
        return false;
    for (size_t i = 0; good && i < d.file_count; i++) {
        struct pcomp_header header;
        good = d.files[i].status != DATA_LIVE ||
               !profile_file_read_header(d.files[i].path, &header, error, error_size) ||
               !(header.flags & PCOMP_FLAG_TRACE);
    }
    data_directory_close(&d);
    if (!good)
        snprintf(error, error_size, "%s: a trace is being recorded there, which has no times yet (wait for its end)",
                 dir);
    return good;
}
