#include "reporters/base/message.h"

#include "reporters/base/locale_text.h"
#include "reporters/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool keeping;
static char *kept; /* the first */

void message_keep_failures(void)
{
    keeping = true;
}

char *message_kept_failure(void)
{
    char *text = kept;
    keeping = false;
    kept = NULL;
    return text;
}

static void message_write(const char *format, va_list arguments)
{
    int saved = errno;
    char *line = NULL;
    if (vasprintf(&line, format, arguments) < 0)
        line = NULL;
    char *clean = line ? text_clean(line) : NULL, *shown = clean ? locale_text(clean) : NULL;
    fflush(stdout);
    fprintf(stderr, "pcomp: %s\n", shown ? shown : format);
    free(shown);
    free(clean);
    free(line);
    errno = saved;
}

static void failure_write(const char *format, va_list arguments)
{
    if (!keeping)
        message_write(format, arguments);
    else if (!kept && vasprintf(&kept, format, arguments) < 0)
        kept = NULL;
}

int message_failure(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failure_write(format, arguments);
    va_end(arguments);
    return STATUS_BAD;
}

int message_misuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failure_write(format, arguments);
    va_end(arguments);
    return STATUS_MISUSE;
}

void message_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_write(format, arguments);
    va_end(arguments);
}

int message_no_memory(const char *what)
{
    return message_failure("%s: out of memory", what);
}
