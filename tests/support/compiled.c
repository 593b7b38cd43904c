#include "tests/support/compiled.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[64];

void compiled_begin(void)
{
    strcpy(directory, "/tmp/pcomp-test-XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
}

void compiled_end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

const char *compiled_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

void compiled_source(const char *name, const char *text)
{
    FILE *file = fopen(compiled_path(name), "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

bool compiled_run(const char *format, ...)
{
    char command[2048];
    int used = snprintf(command, sizeof command, "cd %s && ", directory);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    return system(command) == 0;
}
