/* Slots: what each state of a slot executes, decoded instruction by instruction, and executed. */
#include "profiler/base/counts.h"
#include "profiler/code/arch/x86_64/instruction.h"
#include "profiler/code/arch/x86_64/slots.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define SITES 8u

static char module[4096];
static const struct slot_probes probes = {1, 2, 3, 4, 5, 6, 7, 8};

/* A thread's pointer to its counters, where the library has one. */
static __thread uint64_t *counters __attribute__((tls_model("initial-exec")));

int32_t counts_tls_offset(void)
{
    uint64_t thread;
    __asm__("movq %%fs:0, %0" : "=r"(thread));
    return (int32_t)((uint64_t)(uintptr_t)&counters - thread);
}

static struct slots make(bool counting, const struct slot_probes *lead_to)
{
    struct slots slots = {0};
    uint64_t start = (uint64_t)(uintptr_t)module;
    cr_assert_null(slots_make(&slots, start, start + sizeof(module), SITES, SITES, counting, lead_to));
    return slots;
}

/* Where the slot leads: follows it to the stub, whose target that is; 0: it returns. *r11: what it was given last. */
static uint64_t follow(const struct slots *slots, uint32_t slot, uint64_t *r11, unsigned *counts)
{
    const uint8_t *bytes = slots->alias.bytes, *at = bytes + slot;
    for (*counts = 0;;) {
        unsigned opcode, length = instruction_length(at, 32, &opcode);
        int32_t wide;
        memcpy(&wide, at + length - 4, sizeof(wide));
        cr_assert(length > 0, "byte %02x at %u of the slot", *at, (unsigned)(at - bytes - slot));
        if (at[opcode] == 0xc3)
            return 0;
        if (at[opcode] == 0xcc)
            cr_assert_fail("a breakpoint");
        if (at[0] == 0xff && at[1] == 0x25) {
            uint64_t target;
            memcpy(&target, at + length + wide, sizeof(target));
            return target;
        }
        if (at[0] == 0x49 && at[1] == 0xbb)
            memcpy(r11, at + 2, sizeof(*r11));
        if (at[0] == 0x49 && at[1] == 0xff && at[2] == 0x83)
            *counts = 1 + (unsigned)wide / 8;
        at += length;
        if (at[-(int)length] == 0xeb)
            at += (int8_t)at[-1];
        else if (at[-(int)length] == 0xe9)
            at += wide;
    }
}

static void expect(const struct slots *slots, uint32_t slot, uint64_t target, uint64_t r11, unsigned number)
{
    uint64_t found = 0;
    unsigned counts;
    cr_assert_eq(follow(slots, slot, &found, &counts), target);
    cr_assert_eq(found, r11, "r11 is %#lx", found);
    cr_assert_eq(counts, number);
}

Test(slots, enters_that_count)
{
    struct slots s = make(true, &probes);
    uint32_t hook = slots_add(&s, SITE_HOOK_ENTER, 0, 0x1111, false);
    uint32_t sled = slots_add(&s, SITE_SLED_ENTER, 0x2222, 0x3333, false), last = 0;
    expect(&s, hook, probes.hook_enter_first, 0x1111, 0);
    expect(&s, sled, probes.sled_first, 0x3333, 0);
    slot_number(&s, hook, 77);
    slot_number(&s, sled, COUNTS_MAX - 1);
    slot_resolve(&s, hook, SITE_HOOK_ENTER, true);
    slot_resolve(&s, sled, SITE_SLED_ENTER, true);
    expect(&s, hook, probes.hook_enter, 0, 78);
    expect(&s, sled, probes.sled_enter, 0x2222, COUNTS_MAX);
    slot_time(&s, hook, false);
    slot_time(&s, sled, false);
    expect(&s, hook, 0, 0, 78);
    expect(&s, sled, 0, 0, COUNTS_MAX);
    slot_time(&s, sled, true);
    slot_resolve(&s, hook, SITE_HOOK_ENTER, false);
    expect(&s, sled, probes.sled_enter, 0x2222, COUNTS_MAX);
    expect(&s, hook, probes.hook_enter_first, 0x1111, 0);
    for (unsigned i = 2; i < SITES; i++) /* "first" of a slot lies in the next one */
        last = slots_add(&s, SITE_SLED_ENTER, 0x100 + i, 0x200 + i, false);
    expect(&s, last, probes.sled_first, 0x200 + SITES - 1, 0);
    expect(&s, hook, probes.hook_enter_first, 0x1111, 0);
    expect(&s, sled, probes.sled_enter, 0x2222, COUNTS_MAX);
}

Test(slots, enters_that_do_not_count)
{
    struct slots s = make(false, &probes);
    uint32_t hook = slots_add(&s, SITE_HOOK_ENTER, 0, 0x1111, false);
    uint32_t sled = slots_add(&s, SITE_SLED_ENTER, 0x2222, 0x3333, true);
    expect(&s, hook, probes.hook_enter_first, 0x1111, 0);
    expect(&s, sled, probes.sled_enter, 0x2222, 0);
    slot_resolve(&s, hook, SITE_HOOK_ENTER, true);
    slot_time(&s, hook, false); /* the site itself is turned off */
    expect(&s, hook, probes.hook_enter, 0, 0);
}

Test(slots, exits)
{
    for (int counting = 0; counting < 2; counting++) {
        struct slots s = make(counting, &probes);
        uint32_t hook = slots_add(&s, SITE_HOOK_EXIT, 0, 0x1111, false);
        uint32_t leave = slots_add(&s, SITE_SLED_RETURN, 0x2222, 0x3333, false);
        uint32_t tail = slots_add(&s, SITE_SLED_TAIL, 0x4444, 0x5555, false);
        expect(&s, hook, probes.hook_exit_first, 0x1111, 0);
        expect(&s, leave, probes.sled_return, 0x2222, 0);
        expect(&s, tail, probes.sled_tail, 0x4444, 0);
        cr_assert_eq(s.alias.bytes[tail], 0x41, "r11 is kept for the jump");
        slot_resolve(&s, hook, SITE_HOOK_EXIT, true);
        slot_resolve(&s, leave, SITE_SLED_RETURN, true);
        expect(&s, hook, probes.hook_exit, 0, 0);
        expect(&s, leave, probes.sled_return, 0x2222, 0);
    }
}

Test(slots, are_within_reach)
{
    struct slots s = make(true, &probes);
    int64_t away = (int64_t)(s.alias.start - (uint64_t)(uintptr_t)module);
    cr_assert(away > -INT64_C(0x7f000000) && away < INT64_C(0x7f000000));
    struct slots none = {0};
    cr_assert_not_null(slots_make(&none, 0x10000, 0x10000 + (UINT64_C(3) << 30), 1, 1, true, &probes));
    cr_assert_not_null(slots_make(&none, 0x10000, 0x20000, 1u << 26, 1, true, &probes));
}

/* Whether the page may be written, and is not executed, at the alias. */
static bool is_writable(const struct text_alias *alias)
{
    char line[512], rights[5] = "";
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "re");
    cr_assert_not_null(maps);
    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && (uintptr_t)alias->bytes >= from &&
            (uintptr_t)alias->bytes < to)
            break;
    fclose(maps);
    cr_assert_eq(rights[2], '-');
    return rights[1] == 'w';
}

Test(slots, are_written_between_open_and_shut_alone)
{
    struct slots s = make(true, &probes);
    cr_expect(is_writable(&s.alias));
    cr_assert_null(text_alias_execute(&s.alias));
    for (int i = 0; i < 2; i++) {
        cr_expect_not(is_writable(&s.alias));
        for (int again = 0; again < 2; again++) {
            cr_expect(text_alias_open(&s.alias));
            cr_expect(is_writable(&s.alias));
        }
        text_alias_shut(&s.alias);
        text_alias_shut(&s.alias);
    }
    cr_expect_not(is_writable(&s.alias));
    text_alias_drop(&s.alias);
    cr_expect_not(text_alias_open(&s.alias));
}

Test(slots, count_when_they_are_executed)
{
    struct slots s = make(true, &probes);
    uint32_t slot = slots_add(&s, SITE_SLED_ENTER, 0x2222, 0x3333, true);
    uint64_t own[16] = {0};
    counters = own;
    slot_number(&s, slot, 9);
    slot_time(&s, slot, false);
    cr_assert_null(text_alias_execute(&s.alias));
    cr_assert_eq(slot_function(&s, slot, SITE_SLED_ENTER), 0x2222);
    void (*call)(void) = (void (*)(void))(uintptr_t)slot_address(&s, slot);
    for (int i = 0; i < 1000; i++)
        call();
    cr_assert_eq(own[9], 1000);
    cr_assert(text_alias_open(&s.alias));
    slot_number(&s, slot, 3);
    text_alias_shut(&s.alias);
    call();
    cr_assert_eq(own[9] + own[3] * 10000, 11000);
    text_alias_drop(&s.alias);
    call(); /* goes on without its alias */
    cr_assert_eq(own[3], 2);
}
