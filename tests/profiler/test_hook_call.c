/* Each form of a call of the hooks, by hand: what is recognised, which byte changes, and what is none. The instruction
 * that a site becomes has the length of the one that was there, but for ret. */
#include "profiler/code/arch/x86_64/hook_call.h"
#include "profiler/code/arch/x86_64/instruction.h"

#include <criterion/criterion.h>
#include <string.h>

static uint8_t text[4096];
static uint64_t slots[2];

#define ENTER 0x40 /* where in text: the hooks, and the stubs that lead to them */
#define EXIT  0x60
#define STUBS 0x100

static struct hook_targets targets(void)
{
    return (struct hook_targets){.address = {(uint64_t)(uintptr_t)text + ENTER, (uint64_t)(uintptr_t)text + EXIT},
                                 .slots = {{(uint64_t)(uintptr_t)&slots[0]}, {(uint64_t)(uintptr_t)&slots[1]}},
                                 .slot_count = {1, 1},
                                 .text = (uint64_t)(uintptr_t)text,
                                 .text_end = (uint64_t)(uintptr_t)text + sizeof(text)};
}

static uint8_t *write_bytes(uint8_t *at, const char *bytes, unsigned count)
{
    memcpy(at, bytes, count);
    return at + count;
}

/* Ends the instruction with the displacement to `target`. */
static unsigned finish(const uint8_t *start, uint8_t *end, uint64_t target)
{
    int64_t displacement = (int64_t)(target - (uint64_t)(uintptr_t)(end + 4));
    int32_t narrow = (int32_t)displacement;
    memcpy(end, &narrow, sizeof(narrow));
    return (unsigned)(end + 4 - start);
}

static uint64_t stub(unsigned i, const char *bytes, unsigned count, const uint64_t *slot)
{
    uint8_t *start = text + STUBS + 32 * (size_t)i;
    finish(start, write_bytes(start, bytes, count), (uint64_t)(uintptr_t)slot);
    return (uint64_t)(uintptr_t)start;
}

static bool recognise(const uint8_t *at, unsigned length, struct hook_call *call)
{
    struct hook_targets t = targets();
    unsigned opcode;
    cr_assert_eq(instruction_length(at, 15, &opcode), length);
    return hook_call_recognise(&t, at, length, opcode, call);
}

/* `prefix`: the instruction up to its displacement. */
static void expect_form(const char *prefix, unsigned count, uint64_t target, enum hook hook, unsigned byte, uint8_t off)
{
    for (unsigned offset = 0; offset < 64; offset++) { /* wherever in a cache line */
        uint8_t *at = text + 0x400 + offset;
        memset(text + 0x400, 0x90, 128);
        unsigned length = finish(at, write_bytes(at, prefix, count), target), opcode;
        struct hook_call call;
        cr_assert(recognise(at, length, &call));
        cr_assert_eq(call.hook, hook);
        cr_assert_eq(call.byte, byte);
        cr_assert_eq(call.on, at[byte]);
        cr_assert_eq(call.off, off);
        at[call.byte] = call.off;
        cr_assert_eq(instruction_length(at, 15, &opcode), off == 0xc3 ? 1 : length);
        at[call.byte] = call.on;
        cr_assert(recognise(at, length, &call));
    }
}

Test(hook_call, direct)
{
    uint64_t enter = (uint64_t)(uintptr_t)text + ENTER, exit = (uint64_t)(uintptr_t)text + EXIT;
    expect_form("\xe8", 1, enter, HOOK_ENTER, 0, 0xa9);
    expect_form("\xe8", 1, exit, HOOK_EXIT, 0, 0xa9);
    expect_form("\x67\xe8", 2, exit, HOOK_EXIT, 1, 0xa9);
    expect_form("\xf2\xe8", 2, enter, HOOK_ENTER, 0, 0x81);
    expect_form("\xe9", 1, exit, HOOK_EXIT, 0, 0xc3);
    expect_form("\xf2\xe9", 2, exit, HOOK_EXIT, 0, 0xc3);
}

Test(hook_call, through_stubs)
{
    uint64_t plain = stub(0, "\xff\x25", 2, &slots[0]), bnd = stub(1, "\xf2\xff\x25", 3, &slots[1]),
             endbr = stub(2, "\xf3\x0f\x1e\xfa\xff\x25", 6, &slots[0]),
             both = stub(3, "\xf3\x0f\x1e\xfa\xf2\xff\x25", 7, &slots[1]);
    expect_form("\xe8", 1, plain, HOOK_ENTER, 0, 0xa9);
    expect_form("\xe8", 1, bnd, HOOK_EXIT, 0, 0xa9);
    expect_form("\xe8", 1, endbr, HOOK_ENTER, 0, 0xa9);
    expect_form("\xe9", 1, both, HOOK_EXIT, 0, 0xc3);
}

Test(hook_call, through_words)
{
    uint64_t enter = (uint64_t)(uintptr_t)&slots[0], exit = (uint64_t)(uintptr_t)&slots[1];
    expect_form("\xff\x15", 2, enter, HOOK_ENTER, 0, 0x8d);
    expect_form("\xff\x15", 2, exit, HOOK_EXIT, 0, 0x8d);
    expect_form("\xf2\xff\x15", 3, exit, HOOK_EXIT, 1, 0x8d);
    expect_form("\xff\x25", 2, exit, HOOK_EXIT, 0, 0xc3);
    expect_form("\xf2\xff\x25", 3, exit, HOOK_EXIT, 0, 0xc3);
}

static void expect_none(const char *prefix, unsigned count, uint64_t target)
{
    uint8_t *at = text + 0x400;
    memset(at, 0x90, 32);
    unsigned length = finish(at, write_bytes(at, prefix, count), target);
    struct hook_call call;
    cr_assert_not(recognise(at, length, &call));
}

Test(hook_call, others_are_none)
{
    static uint64_t foreign;
    uint64_t enter = (uint64_t)(uintptr_t)text + ENTER, slot = (uint64_t)(uintptr_t)&slots[0];
    expect_none("\xe8", 1, enter + 1);
    expect_none("\xe8", 1, stub(0, "\xff\x25", 2, &foreign));
    expect_none("\xe8", 1, (uint64_t)(uintptr_t)text + sizeof(text) - 8); /* a stub would leave the text */
    expect_none("\xff\x15", 2, (uint64_t)(uintptr_t)&foreign);
    expect_none("\xff\x35", 2, slot);     /* push */
    expect_none("\x48\xff\x15", 3, slot); /* with REX */
    expect_none("\x67\xff\x15", 3, slot); /* the address is another one */
    expect_none("\x0f\x84", 2, enter);    /* a conditional jump */
    expect_none("\xa9", 1, enter);        /* a site that is off */
}

/* Leads the call of `length` bytes at `offset` to a target, and looks at what it has become: the first instruction, and
 * no-ops behind a jump. */
static void expect_led(const char *prefix, unsigned count, bool jump)
{
    static const int64_t away[] = {-0x7f000000, -5, 0, 1, 4096, 0x7f000000};
    for (unsigned i = 0; i < sizeof(away) / sizeof(away[0]); i++) {
        uint8_t *at = text + 0x800, bytes[16];
        unsigned length = finish(at, write_bytes(at, prefix, count), (uint64_t)(uintptr_t)text + ENTER), opcode;
        struct hook_call call = {.off = jump ? 0xc3 : 0xa9};
        uint64_t address = (uint64_t)(uintptr_t)at, target = address + (uint64_t)away[i];
        memset(bytes, 0xcc, sizeof(bytes));
        memcpy(bytes, at, length);
        hook_call_lead(&call, bytes, length, address, target);
        unsigned first = instruction_length(bytes, 15, &opcode);
        int32_t displacement;
        memcpy(&displacement, bytes + first - 4, sizeof(displacement));
        cr_assert_eq(address + first + (uint64_t)(int64_t)displacement, target);
        cr_assert_eq(bytes[opcode], jump ? 0xe9 : 0xe8);
        cr_assert_eq(call.byte, opcode);
        cr_assert_eq(call.on, bytes[opcode]);
        cr_assert_eq(call.off, jump ? 0xc3 : 0xa9);
        cr_assert(jump ? first == 5 : first == length, "a call ends where it ended, for its return address");
        for (unsigned k = first; k < length; k++)
            cr_assert_eq(bytes[k], 0x90);
        cr_assert_eq(bytes[length], 0xcc);
        bytes[call.byte] = call.off;
        cr_assert_eq(instruction_length(bytes, 15, &opcode), jump ? 1 : length);
    }
}

Test(hook_call, led_to_a_slot)
{
    expect_led("\xe8", 1, false);
    expect_led("\x67\xe8", 2, false);
    expect_led("\xf2\xe8", 2, false);
    expect_led("\xff\x15", 2, false);
    expect_led("\xf2\xff\x15", 3, false);
    expect_led("\xe9", 1, true);
    expect_led("\xf2\xe9", 2, true);
    expect_led("\xff\x25", 2, true);
    expect_led("\xf2\xff\x25", 3, true);
}
