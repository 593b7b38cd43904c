#include "profiler/code/sites/frame_rows.h"

#include "profiler/base/spin.h"

#define ROWS_BITS 9

struct known_row {
    struct spin lock;
    uint64_t pc, generation;
    struct frame_row row;
};

static struct known_row rows[1u << ROWS_BITS]; /* each has one place; the last one that was kept there is known */

static struct known_row *row_of(uint64_t pc)
{
    return &rows[pc * 0x9e3779b97f4a7c15u >> (64 - ROWS_BITS)];
}

bool frame_rows_find(uint64_t pc, uint64_t generation, struct frame_row *row)
{
    struct known_row *k = row_of(pc);
    if (!spin_try(&k->lock))
        return false;
    bool known = k->pc == pc && k->generation == generation;
    if (known)
        *row = k->row;
    spin_unlock(&k->lock);
    return known;
}

void frame_rows_keep(uint64_t pc, uint64_t generation, const struct frame_row *row)
{
    struct known_row *k = row_of(pc);
    if (!spin_try(&k->lock))
        return;
    k->pc = pc;
    k->generation = generation;
    k->row = *row;
    spin_unlock(&k->lock);
}
