#include "reporters/profile/run_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool run_set_read(const char *dir, struct run_set *set)
{
    char *path = NULL, line[256];
    *set = (struct run_set){0};
    if (asprintf(&path, "%s/run", dir) < 0)
        return false;
    FILE *file = fopen(path, "re");
    free(path);
    if (!file)
        return false;
    if (fgets(line, sizeof line, file) && !strncmp(line, "pcomp-run ", 10))
        while (fgets(line, sizeof line, file)) {
            sscanf(line, "runs %9u", &set->runs);
            sscanf(line, "middle %9u", &set->middle);
        }
    fclose(file);
    if (set->runs > RUN_SET_MAX || set->middle > set->runs)
        *set = (struct run_set){0};
    return set->runs > 0;
}

bool run_set_write(const char *dir, const char *key, unsigned value)
{
    char *path = NULL;
    if (asprintf(&path, "%s/run", dir) < 0)
        return false;
    FILE *file = fopen(path, "ae");
    free(path);
    bool good = file && fprintf(file, "%s %u\n", key, value) > 0;
    return file && fclose(file) == 0 && good;
}

char *run_set_path(const char *dir, unsigned run)
{
    char *path = NULL;
    return asprintf(&path, "%s/%u", dir, run) < 0 ? NULL : path;
}

static bool is_there(const char *path)
{
    char *file = NULL;
    bool there = asprintf(&file, "%s/run", path) >= 0 && access(file, F_OK) == 0;
    free(file);
    return there;
}

char **run_set_list(const char *dir, const struct run_set *set, size_t *count)
{
    char **list = calloc(set->runs + 1, sizeof *list);
    *count = 0;
    for (unsigned run = 1; list && run <= set->runs; run++) {
        char *path = run_set_path(dir, run);
        if (!path) {
            run_set_list_free(list, *count);
            return NULL;
        }
        if (is_there(path))
            list[(*count)++] = path;
        else
            free(path);
    }
    return list;
}

void run_set_list_free(char **list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i]);
    free(list);
}

char *run_set_one(const char *dir, unsigned *run)
{
    struct run_set set;
    if (!run_set_read(dir, &set))
        return NULL;
    for (unsigned i = set.middle ? set.middle : 1; i <= set.runs; i++) {
        char *path = run_set_path(dir, i);
        *run = i;
        if (path && is_there(path))
            return path;
        free(path);
    }
    return NULL;
}
