/* A program whose malloc is its own, and instrumented: the library must not call it from its hooks in a way that
 * recurses, and its calls are counted like others. */
#include "expect.h"

#include <pthread.h>

static char arena[1 << 20];
static size_t at;

void *malloc(size_t size)
{
    COUNT();
    size_t from = __atomic_fetch_add(&at, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);
    *(size_t *)(arena + from) = size;
    return arena + from + 16;
}

void free(void *p)
{
    COUNT();
    (void)p;
}

void *calloc(size_t n, size_t size)
{
    COUNT();
    return malloc(n * size);
}

void *realloc(void *p, size_t size)
{
    COUNT();
    char *to = malloc(size), *from = p;
    for (size_t i = 0; from && i < size && i < ((size_t *)p)[-2]; i++)
        to[i] = from[i];
    return to;
}

void *thread(void *p)
{
    COUNT();
    free(malloc(10));
    return p;
}

/* After the destructors of libgcc, which frees what it registered. */
static PLAIN __attribute__((destructor(101))) void count_at_the_end(void)
{
    expect_counts(); /* libc calls them, too */
}

int main(void)
{
    COUNT();
    pthread_t t[10];
    for (int i = 0; i < 1000; i++)
        free(malloc((size_t)i));
    for (int i = 0; i < 10; i++)
        CHECK(pthread_create(&t[i], NULL, thread, NULL) == 0);
    for (int i = 0; i < 10; i++)
        pthread_join(t[i], NULL);
    EXPECT("path main 1");
    EXPECT("most inexact 1000");
    EXPECT("closed 1");
    return 0;
}
