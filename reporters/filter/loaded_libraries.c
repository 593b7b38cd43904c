#include "reporters/filter/loaded_libraries.h"

#include "reporters/filter/filter_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void loaded_libraries_each(const char *program, void (*visit)(void *context, const char *path), void *context)
{
    int ends[2];
    if (!filter_has_glibc_loader(program) || pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = {(char *)program, NULL};
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        unsetenv("LD_PRELOAD");
        execv(program, arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char *line = NULL;
    size_t size = 0;
    while (child > 0 && list && getline(&line, &size, list) > 0) {
        char *path = strchr(line, '/'), *end = path ? strstr(path, " (0x") : NULL;
        if (end) {
            *end = 0;
            visit(context, path);
        }
    }
    free(line);
    if (list)
        fclose(list);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}
