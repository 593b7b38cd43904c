#include "logscan.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_step(uint64_t hash, unsigned char c)
{
    return (hash ^ c) * 1099511628211u;
}

static uint64_t hash_path(const char *path)
{
    uint64_t hash = 14695981039346656037u;
    for (; *path; path++)
        hash = hash_step(hash, (unsigned char)*path);
    return hash ^ hash >> 32;
}

static size_t *find_slot(const struct page_table *t, const char *path)
{
    size_t at = hash_path(path) % t->slot_count;
    while (t->slots[at] && strcmp(t->pages[t->slots[at] - 1].path, path) != 0)
        at = (at + 1) % t->slot_count;
    return &t->slots[at];
}

static bool grow(struct page_table *t)
{
    size_t capacity = t->capacity ? 2 * t->capacity : 256;
    struct page *pages = realloc(t->pages, capacity * sizeof(*pages));
    if (!pages)
        return false;
    t->pages = pages;
    size_t *slots = calloc(3 * capacity, sizeof(*slots));
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = 3 * capacity;
    t->capacity = capacity;
    for (size_t i = 0; i < t->count; i++)
        *find_slot(t, pages[i].path) = i + 1;
    return true;
}

bool table_add(struct page_table *t, const struct request *r)
{
    if (t->count == t->capacity && !grow(t))
        return false;
    size_t *slot = find_slot(t, r->path);
    if (!*slot) {
        struct page *fresh = &t->pages[t->count++];
        memset(fresh, 0, sizeof(*fresh));
        memcpy(fresh->path, r->path, PATH_SIZE);
        *slot = t->count;
    }
    struct page *p = &t->pages[*slot - 1];
    p->requests++;
    p->errors += r->status >= 400;
    p->bytes += r->bytes;
    return true;
}

static int compare_pages(const void *a, const void *b)
{
    const struct page *x = a, *y = b;
    if (x->requests != y->requests)
        return x->requests < y->requests ? 1 : -1;
    return strcmp(x->path, y->path);
}

void table_sort(struct page_table *t)
{
    if (t->count)
        qsort(t->pages, t->count, sizeof(*t->pages), compare_pages);
}

void table_free(struct page_table *t)
{
    free(t->pages);
    free(t->slots);
}
