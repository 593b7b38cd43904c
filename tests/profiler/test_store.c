/* Memory of a profile: what one thread gives back is as good as new for the next. */
#include "profiler/base/store.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/pcomp-store.XXXXXX";

static void begin(void)
{
    bool exists;
    cr_assert(mkdtemp(folder));
    const char *why = store_open(folder, getpid(), 0, &exists);
    cr_assert(!why, "%s", why);
}

static void end(void)
{
    store_discard();
    rmdir(folder);
}

static bool is_blank(const void *from, size_t size)
{
    const char *byte = from;
    size_t i = 0;
    while (i < size && !byte[i])
        i++;
    return i == size;
}

Test(store, reused_memory_is_blank, .init = begin, .fini = end)
{
    const uint32_t kinds[] = {PCOMP_CHUNK_THREAD, PCOMP_CHUNK_NODES, PCOMP_CHUNK_STACK, PCOMP_CHUNK_SPREADS};
    struct pcomp_chunk *first = NULL;
    for (size_t from = 0; from < 4; from++)
        for (size_t to = 0; to < 4; to++) {
            struct pcomp_chunk *c = store_chunk(kinds[from], 4096, 1, 64);
            cr_assert(c);
            cr_assert(!first || c == first, "memory that was freed is not reused");
            first = c;
            c->count = c->capacity = 7;
            memset(c->reserved, 0xaa, sizeof(c->reserved));
            memset(c + 1, 0xaa, c->size - sizeof(*c));
            store_free(c);
            c = store_chunk(kinds[to], 4096, 2, 48);
            cr_assert(c == first, "memory that was freed is not reused");
            cr_expect(is_blank(c->reserved, sizeof(c->reserved)), "kind %u after %u", kinds[to], kinds[from]);
            cr_expect(is_blank(c + 1, c->size - sizeof(*c)), "kind %u after %u", kinds[to], kinds[from]);
            cr_expect(c->kind == kinds[to] && c->owner == 2 && c->record_size == 48);
            cr_expect(c->count == 0 && c->capacity == 0);
            store_free(c);
        }
}
