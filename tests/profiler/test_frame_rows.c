/* Rules of frames by program counter: what was kept last at a place is found, until a module is unloaded. */
#include "profiler/code/sites/frame_rows.h"

#include <criterion/criterion.h>

#define COUNT 5000u

static struct frame_row row_of(uint64_t pc)
{
    struct frame_row row = {.base = (unsigned)(pc % FRAME_REGISTERS), .offset = (int64_t)pc};
    row.rules[pc % FRAME_RULES] = (struct frame_rule){(int32_t)pc, 1};
    return row;
}

static bool is_row_of(const struct frame_row *row, uint64_t pc)
{
    struct frame_row expected = row_of(pc);
    return row->base == expected.base && row->offset == expected.offset && !row->expression &&
           row->rules[pc % FRAME_RULES].value == (int32_t)pc;
}

Test(frame_rows, what_is_found_is_what_was_kept)
{
    unsigned found = 0;
    for (uint64_t pc = 0x401000; pc < 0x401000 + COUNT; pc++) {
        struct frame_row row = row_of(pc), again;
        frame_rows_keep(pc, 1, &row);
        cr_assert(frame_rows_find(pc, 1, &again) && is_row_of(&again, pc));
    }
    for (uint64_t pc = 0x401000; pc < 0x401000 + COUNT; pc++) {
        struct frame_row row;
        if (frame_rows_find(pc, 1, &row)) {
            found++;
            cr_expect(is_row_of(&row, pc), "another place's row");
        }
    }
    cr_expect(found >= 256, "%u of the last ones are found", found);
}

Test(frame_rows, nothing_is_found_behind_an_unloading)
{
    struct frame_row row = row_of(0x7000), again;
    frame_rows_keep(0x7000, 1, &row);
    cr_expect_not(frame_rows_find(0x7000, 2, &again));
    frame_rows_keep(0x7000, 2, &row);
    cr_expect(frame_rows_find(0x7000, 2, &again));
    cr_expect_not(frame_rows_find(0x7000, 1, &again));
}
