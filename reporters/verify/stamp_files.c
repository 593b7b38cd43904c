#include "reporters/verify/stamp_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int stamp_order(const void *a, const void *b)
{
    const struct stamp *x = a, *y = b;
    return x->entered != y->entered ? (x->entered > y->entered) - (x->entered < y->entered)
                                    : (x->pid > y->pid) - (x->pid < y->pid);
}

/* False: not a stamp. */
static bool stamp_read(struct stamp *stamp, const char *path)
{
    char program[4096] = "";
    FILE *file = fopen(path, "re");
    bool good = file &&
                fscanf(file, "pcomp-stamp 1 entered %" SCNu64 " left %" SCNu64 " program %4095[^\n]", &stamp->entered,
                       &stamp->left, program) == 3 &&
                stamp->left >= stamp->entered;
    if (file)
        fclose(file);
    stamp->program = good ? strdup(program) : NULL;
    return stamp->program != NULL;
}

bool stamp_list_take(struct stamp_list *list, const char *directory)
{
    DIR *stream = opendir(directory);
    bool good = true;
    *list = (struct stamp_list){NULL, 0};
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[4500];
        struct stamp stamp = {.pid = (int)strtol(entry->d_name, NULL, 10)};
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < 0)
            continue;
        if (stamp_read(&stamp, path)) {
            struct stamp *grown = reallocarray(list->stamps, list->count + 1, sizeof *grown);
            good &= grown != NULL;
            if (grown) {
                list->stamps = grown;
                grown[list->count++] = stamp;
            } else
                free(stamp.program);
        }
        remove(path);
    }
    if (stream)
        closedir(stream);
    if (list->count)
        qsort(list->stamps, list->count, sizeof *list->stamps, stamp_order);
    return good;
}

void stamp_list_free(struct stamp_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->stamps[i].program);
    free(list->stamps);
    *list = (struct stamp_list){NULL, 0};
}

const struct stamp *stamp_of_program(const struct stamp_list *list, const char *program)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->stamps[i].program, program))
            return &list->stamps[i];
    return NULL;
}
