/* Trees of sampled stacks: what is shared, in which order numbers are given, and what is left without memory. */
#include "profiler/control/stack_samples.h"

#include "profiler/base/store.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define THREAD 3
#define DEPTH  160u

static struct pcomp_chunk *chunks[64];
static unsigned chunk_count, chunks_max = 64;

struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size)
{
    uint64_t whole = (size + 4095) / 4096 * 4096;
    struct pcomp_chunk *c = chunk_count < chunks_max ? aligned_alloc(4096, whole) : NULL;
    if (!c)
        return NULL;
    memset(c, 0, whole);
    c->kind = kind;
    c->size = whole;
    c->owner = owner;
    c->record_size = record_size;
    chunks[chunk_count++] = c;
    return c;
}

/* As a reader finds them: by number, in file order. NULL: there is none. */
static const struct pcomp_stack_frame *frame(uint32_t number)
{
    for (unsigned c = 0; c < chunk_count; c++) {
        if (number <= chunks[c]->count)
            return (const struct pcomp_stack_frame *)(chunks[c] + 1) + number - 1;
        number -= chunks[c]->count;
    }
    return NULL;
}

static uint32_t frames(void)
{
    uint32_t sum = 0;
    for (unsigned c = 0; c < chunk_count; c++)
        sum += chunks[c]->count;
    return sum;
}

static uint64_t weights(void)
{
    uint64_t sum = 0;
    for (uint32_t number = 1; number <= frames(); number++)
        sum += frame(number)->weight;
    return sum;
}

static void assert_frame(uint32_t number, uint64_t pc, uint64_t node, uint32_t parent, uint64_t weight)
{
    const struct pcomp_stack_frame *f = frame(number);
    cr_assert_not_null(f);
    cr_assert(f->pc == pc && f->node == node && f->parent == parent && f->weight == weight,
              "frame %u is {%lx, %lx, %u, %lu}", number, f->pc, f->node, f->parent, f->weight);
}

static void assert_well_formed(void)
{
    for (unsigned c = 0; c < chunk_count; c++) {
        cr_assert_eq(chunks[c]->kind, PCOMP_CHUNK_STACKS);
        cr_assert_eq(chunks[c]->owner, THREAD);
        cr_assert_eq(chunks[c]->record_size, sizeof(struct pcomp_stack_frame));
        cr_assert_leq(chunks[c]->count, chunks[c]->capacity);
        cr_assert_leq(sizeof(struct pcomp_chunk) + chunks[c]->capacity * sizeof(struct pcomp_stack_frame),
                      chunks[c]->size);
        cr_assert(c + 1 == chunk_count || chunks[c]->count == chunks[c]->capacity, "filled before the next begins");
    }
    for (uint32_t number = 1; number <= frames(); number++) {
        cr_assert_lt(frame(number)->parent, number, "callers come first");
        cr_assert_leq(frame(number)->hits, frame(number)->weight);
    }
}

static bool add(struct stack_samples *s, uint32_t weight, const struct stack_place *places, unsigned count)
{
    return stack_samples_add(s, THREAD, places, count, weight);
}
#define ADD(s, weight, ...)                                                                                            \
    add(s, weight, (const struct stack_place[]){__VA_ARGS__},                                                          \
        sizeof((const struct stack_place[]){__VA_ARGS__}) / sizeof(struct stack_place))

Test(stack_samples, share_their_outer_frames)
{
    struct stack_samples s = {0};
    cr_assert(ADD(&s, 1, {30, 0}, {20, 0}, {10, 7}));
    cr_assert(ADD(&s, 2, {31, 0}, {20, 0}, {10, 7}));
    cr_assert(ADD(&s, 4, {20, 0}, {10, 7}));
    cr_assert(ADD(&s, 8, {30, 0}, {20, 0}, {10, 7}));
    assert_frame(1, 10, 7, 0, 0);
    assert_frame(2, 20, 0, 1, 4);
    assert_frame(3, 30, 0, 2, 9);
    assert_frame(4, 31, 0, 2, 2);
    cr_assert_eq(frames(), 4);
    cr_assert_eq(frame(3)->hits, 2);
    cr_assert_eq(frame(1)->hits, 0);
    assert_well_formed();
    stack_samples_end(&s);
}

Test(stack_samples, are_told_apart_by_address_node_and_caller)
{
    struct stack_samples s = {0};
    ADD(&s, 1, {10, 0});
    ADD(&s, 1, {10, 5}); /* another activation */
    ADD(&s, 1, {10, 0}, {10, 0});
    ADD(&s, 1, {10, 0}, {10, 5});
    ADD(&s, 1, {PCOMP_STACK_LIBRARY, 0});
    ADD(&s, 1, {10, 0}, {PCOMP_STACK_UNKNOWN, 5});
    assert_frame(1, 10, 0, 0, 1);
    assert_frame(2, 10, 5, 0, 1);
    assert_frame(3, 10, 0, 1, 1);
    assert_frame(4, 10, 0, 2, 1);
    assert_frame(5, PCOMP_STACK_LIBRARY, 0, 0, 1);
    assert_frame(6, PCOMP_STACK_UNKNOWN, 5, 0, 0);
    assert_frame(7, 10, 0, 6, 1);
    cr_assert_eq(frames(), 7);
    cr_assert_not(stack_samples_add(&s, THREAD, NULL, 0, 1), "no frame to keep it");
    stack_samples_end(&s);
}

/* The k'th of many stacks, that share some of their frames. */
static unsigned make_stack(uint32_t k, struct stack_place *places)
{
    unsigned depth = 1 + k * 2654435761u % DEPTH;
    for (unsigned i = 0; i < depth; i++)
        places[i] = (struct stack_place){0x1000 + (i + 1 == depth ? 0 : (k >> (depth - i) / 8) % 9), (depth - i) % 5};
    return depth;
}

Test(stack_samples, are_found_again_in_several_chunks)
{
    struct stack_samples s = {0};
    struct stack_place places[DEPTH];
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 3000; k++, sum += 1 + k % 3)
        cr_assert(add(&s, 1 + k % 3, places, make_stack(k, places)));
    uint32_t once = frames();
    cr_assert_gt(once, 20000);
    cr_assert_gt(chunk_count, 5);
    cr_assert_eq(weights(), sum);
    for (uint32_t k = 0; k < 3000; k++, sum += 10)
        cr_assert(add(&s, 10, places, make_stack(k, places)));
    cr_assert_eq(frames(), once, "all were known");
    cr_assert_eq(weights(), sum);
    assert_well_formed();
    stack_samples_end(&s);
    cr_assert_null(s.table);
    cr_assert_eq(s.chunk_count, 0);
    cr_assert_eq(weights(), sum, "what is in the profile stays");
}

/* A frame's callers, from the number that its address tells. */
Test(stack_samples, keep_every_frame_of_a_stack)
{
    struct stack_samples s = {0};
    struct stack_place places[DEPTH];
    for (uint32_t k = 0; k < 200; k++) {
        for (unsigned i = 0; i < DEPTH; i++)
            places[i] = (struct stack_place){((uint64_t)k << 32) + i, i};
        cr_assert(add(&s, 1, places, DEPTH));
    }
    cr_assert_eq(frames(), 200 * DEPTH);
    for (uint32_t k = 0; k < 200; k++) {
        uint32_t number = (k + 1) * DEPTH; /* the innermost is made last */
        cr_assert_eq(frame(number)->weight, 1);
        for (unsigned i = 0; i < DEPTH; i++, number = frame(number)->parent) {
            cr_assert_eq(frame(number)->pc, ((uint64_t)k << 32) + i);
            cr_assert_eq(frame(number)->node, i);
        }
        cr_assert_eq(number, 0);
    }
    stack_samples_end(&s);
}

Test(stack_samples, without_memory_outer_frames_stand_for_inner_ones)
{
    struct stack_samples s = {0};
    chunks_max = 0;
    cr_assert_not(ADD(&s, 1, {10, 0}));
    chunks_max = 1;
    uint64_t sum = 0, refused = 0;
    for (uint64_t k = 0; k < 500; k++) {
        cr_assert(ADD(&s, 3, {1000 + k, 0}, {20, 0}, {10, 0}));
        sum += 3;
        refused += !ADD(&s, 1, {5000 + k, 0});
    }
    cr_assert_eq(frames(), chunks[0]->capacity);
    cr_assert_gt(frame(2)->weight, 3 * 300, "the caller that all have in common");
    cr_assert_gt(refused, 300, "without a caller there is none to stand for it");
    cr_assert_eq(weights(), sum + 500 - refused);
    assert_well_formed();
    chunks_max = 2;
    cr_assert(ADD(&s, 5, {1, 0}, {20, 0}, {10, 0}));
    cr_assert_eq(frames(), chunks[0]->capacity + 1, "it goes on when there is room");
    cr_assert_eq(weights(), sum + 500 - refused + 5);
    stack_samples_end(&s);
}

Test(stack_samples, end_at_half_a_million_frames)
{
    struct stack_samples s = {0};
    for (uint64_t k = 0; k < 700000; k++)
        cr_assert(ADD(&s, 1, {1000 + k, 0}, {10, 0}));
    cr_assert_gt(frames(), 500000);
    cr_assert_lt(frames(), 600000);
    cr_assert_eq(chunk_count, STACK_CHUNKS_MAX);
    cr_assert_eq(frame(1)->weight, 700000 - frames() + 1);
    stack_samples_end(&s);
}
