/* Reads of stdio, which reads descriptors unseen by sync_streams.c: of what is no file they are external waits, where
 * the buffer does not have what is asked for. Programs that are not traced pass through here, too: those of single
 * characters (getc) took 1.6 times as long, and are left alone. */
#define getline inline_getline /* defined in the header, before the attributes of the one below */
#include <stdio.h>
#undef getline

#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/stream_descriptors.h"

#include <stdarg.h>
#include <string.h>

REAL(char *, fgets, (char *to, int size, FILE *f), (to, size, f));
REAL(char *, __fgets_chk, (char *to, size_t room, int size, FILE *f), (to, room, size, f));
REAL(size_t, fread, (void *to, size_t size, size_t count, FILE *f), (to, size, count, f));
REAL(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *f), (to, room, size, count, f));
REAL(ssize_t, getline, (char **line, size_t *room, FILE *f), (line, room, f));
REAL(ssize_t, __getdelim, (char **line, size_t *room, int end, FILE *f), (line, room, end, f));
REAL(int, __isoc99_vfscanf, (FILE * f, const char *format, va_list values), (f, format, values));

/* `wanted`: bytes, or SIZE_MAX: up to `end`. */
static bool may_wait(FILE *f, size_t wanted, int end)
{
    if (trace_is_muted())
        return false;
    size_t there = f->_IO_read_end > f->_IO_read_ptr ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
    if (there >= wanted || (there && wanted == SIZE_MAX && memchr(f->_IO_read_ptr, end, there)))
        return false;
    return stream_descriptor(fileno(f)).kind != FILE_LIKE;
}

#define STDIO(f, wanted, end, call)                                                                                    \
    (trace_on && may_wait(f, wanted, end) ? EXTERNAL_WAIT(PCOMP_EXTERNAL_READ, call) : (call))

EXPORT char *fgets(char *restrict to, int size, FILE *restrict f)
{
    return STDIO(f, SIZE_MAX, '\n', real_fgets(to, size, f));
}

EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *f);

char *__fgets_chk(char *to, size_t room, int size, FILE *f)
{
    return STDIO(f, SIZE_MAX, '\n', real___fgets_chk(to, room, size, f));
}

EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict f)
{
    return STDIO(f, size * count, 0, real_fread(to, size, count, f));
}

EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *f);

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *f)
{
    return STDIO(f, size * count, 0, real___fread_chk(to, room, size, count, f));
}

EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict f);

ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict f)
{
    return STDIO(f, SIZE_MAX, '\n', real_getline(line, room, f));
}

EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict f)
{
    return STDIO(f, SIZE_MAX, end, real___getdelim(line, room, end, f));
}

EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict f)
{
    return __getdelim(line, room, end, f);
}

/* How the compiler names scanf() and its kin. */
EXPORT int __isoc99_vfscanf(FILE *f, const char *format, va_list values);
EXPORT int __isoc99_fscanf(FILE *f, const char *format, ...);
EXPORT int __isoc99_scanf(const char *format, ...);

int __isoc99_vfscanf(FILE *f, const char *format, va_list values)
{
    return STDIO(f, SIZE_MAX, '\n', real___isoc99_vfscanf(f, format, values));
}

int __isoc99_fscanf(FILE *f, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int result = __isoc99_vfscanf(f, format, values);
    va_end(values);
    return result;
}

int __isoc99_scanf(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int result = __isoc99_vfscanf(stdin, format, values);
    va_end(values);
    return result;
}
