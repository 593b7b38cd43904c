#include "profiler/control/stack_samples.h"

#include "profiler/base/raw_call.h"
#include "profiler/base/store.h"

#include <sys/mman.h>

#define CHUNK_MIN 4096u
#define TABLE_MIN 1024u

static uint32_t capacity_of(uint32_t chunk)
{
    return (uint32_t)((((uint64_t)CHUNK_MIN << chunk) - sizeof(struct pcomp_chunk)) / sizeof(struct pcomp_stack_frame));
}

static struct pcomp_stack_frame *frame_at(const struct stack_samples *s, uint32_t number)
{
    uint32_t index = number - 1, chunk = 0;
    for (; index >= capacity_of(chunk); chunk++)
        index -= capacity_of(chunk);
    return (struct pcomp_stack_frame *)(s->chunks[chunk] + 1) + index;
}

static uint32_t hash(uint32_t parent, const struct stack_place *place)
{
    uint64_t mixed = (place->pc ^ (uint64_t)parent << 40 ^ place->node * 31) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(mixed >> 32);
}

static bool is_it(const struct pcomp_stack_frame *f, uint32_t parent, const struct stack_place *place)
{
    return f->pc == place->pc && f->parent == parent && f->node == place->node;
}

/* The place of a frame in the table: its own, or a free one. */
static uint32_t *slot_of(const struct stack_samples *s, uint32_t parent, const struct stack_place *place)
{
    uint32_t i = hash(parent, place) & s->mask;
    while (s->table[i] && !is_it(frame_at(s, s->table[i]), parent, place))
        i = (i + 1) & s->mask;
    return &s->table[i];
}

static void give_back(uint32_t *table, uint32_t mask)
{
    if (table)
        raw_call(SYS_munmap, (long)(uintptr_t)table, (long)((mask + 1) * sizeof(*table)), 0, 0);
}

static bool grow_table(struct stack_samples *s)
{
    uint32_t slots = s->table ? 2 * (s->mask + 1) : TABLE_MIN, *old = s->table, old_mask = s->mask;
    long memory = raw_call6(SYS_mmap, 0, (long)(slots * sizeof(*old)), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory < 0 && memory > -4096)
        return false;
    s->table = (uint32_t *)(uintptr_t)memory;
    s->mask = slots - 1;
    for (uint32_t number = 1; number <= s->used; number++) {
        const struct pcomp_stack_frame *f = frame_at(s, number);
        *slot_of(s, f->parent, &(struct stack_place){f->pc, f->node}) = number;
    }
    give_back(old, old_mask);
    return true;
}

/* The number of a new frame; 0: no room. */
static uint32_t new_frame(struct stack_samples *s, uint32_t thread, uint32_t parent, const struct stack_place *place)
{
    uint32_t chunk = s->chunk_count ? s->chunk_count - 1 : 0, full = 0;
    for (uint32_t c = 0; c < s->chunk_count; c++)
        full += capacity_of(c);
    if (s->used == full) {
        chunk = s->chunk_count;
        struct pcomp_chunk *c = chunk < STACK_CHUNKS_MAX ? store_chunk(PCOMP_CHUNK_STACKS, (uint64_t)CHUNK_MIN << chunk,
                                                                       thread, sizeof(struct pcomp_stack_frame))
                                                         : NULL;
        if (!c)
            return 0;
        c->capacity = capacity_of(chunk);
        s->chunks[s->chunk_count++] = c;
    }
    uint32_t number = ++s->used;
    struct pcomp_stack_frame *f = frame_at(s, number);
    f->pc = place->pc;
    f->node = place->node;
    f->parent = parent;
    __atomic_store_n(&s->chunks[chunk]->count, s->chunks[chunk]->count + 1, __ATOMIC_RELEASE);
    return number;
}

bool stack_samples_add(struct stack_samples *s, uint32_t thread, const struct stack_place *places, unsigned count,
                       uint32_t weight)
{
    uint32_t parent = 0;
    while (count--) {
        if ((!s->table || s->used >= s->mask / 2) && !grow_table(s))
            break;
        uint32_t *slot = slot_of(s, parent, &places[count]);
        if (!*slot && !(*slot = new_frame(s, thread, parent, &places[count])))
            break;
        parent = *slot;
    }
    if (!parent)
        return false;
    struct pcomp_stack_frame *f = frame_at(s, parent);
    f->hits++;
    __atomic_store_n(&f->weight, f->weight + weight, __ATOMIC_RELEASE);
    return true;
}

void stack_samples_end(struct stack_samples *s)
{
    give_back(s->table, s->mask);
    *s = (struct stack_samples){0};
}
