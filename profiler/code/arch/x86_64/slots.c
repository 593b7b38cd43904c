#include "profiler/code/arch/x86_64/slots.h"

#include "profiler/base/counts.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define PAGE       4096u
#define STUB_SIZE  16u
#define FIRST_SLOT 256u /* behind the stubs */
#define MEGABYTE   (UINT64_C(1) << 20)
#define REACH      (UINT64_C(0x7f000000)) /* of a 32-bit displacement, less some room */
#define ENTER_SIZE 64u
#define EXIT_SIZE  32u
#define FIRST_PART 102u /* from a slot to the code that its first jump leads to */

enum stub {
    STUB_HOOK_ENTER,
    STUB_HOOK_EXIT,
    STUB_SLED_ENTER,
    STUB_SLED_RETURN,
    STUB_SLED_TAIL,
    STUB_ENTER_FIRST,
    STUB_EXIT_FIRST,
    STUB_SLED_FIRST
};

#define JUMP_SHORT 0xeb
#define TEST_SHORT 0xa8
#define FS         0x64
#define RETURN     0xc3
#define NO_OP      0x90
#define BREAKPOINT 0xcc
#define NUMBER_AT  13u /* displacement of incq */
#define TIMED_AT   17u
#define EXIT_FIRST 17u /* from an exit's slot to the code that its first jump leads to */

/* --- encoding --------------------------------------------------------------------------------------------------------
 */

struct writer {
    uint8_t *at;      /* in the alias */
    uint64_t address; /* of `at`, where it is executed */
};

static struct writer writer_at(struct slots *slots, uint32_t offset)
{
    return (struct writer){slots->alias.bytes + offset, slots->alias.start + offset};
}

static void put(struct writer *w, const void *bytes, unsigned count)
{
    memcpy(w->at, bytes, count);
    w->at += count;
    w->address += count;
}

static void put_jump(struct writer *w, uint64_t target)
{
    uint32_t displacement = (uint32_t)(target - (w->address + 5));
    put(w, "\xe9", 1);
    put(w, &displacement, 4);
}

static void put_r11(struct writer *w, uint64_t value)
{
    put(w, "\x49\xbb", 2); /* movabs $value, %r11 */
    put(w, &value, 8);
}

static uint64_t stub(const struct slots *slots, enum stub s)
{
    return slots->alias.start + s * STUB_SIZE;
}

/* jmp *8(%rip), and the address there: the library may be anywhere. */
static void put_stubs(struct slots *slots, const struct slot_probes *p)
{
    const uint64_t targets[] = {p->hook_enter, p->hook_exit,        p->sled_enter,      p->sled_return,
                                p->sled_tail,  p->hook_enter_first, p->hook_exit_first, p->sled_first};
    for (unsigned i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        struct writer w = writer_at(slots, i * STUB_SIZE);
        put(&w, "\xff\x25\x02\x00\x00\x00\xcc\xcc", 8);
        put(&w, &targets[i], 8);
    }
}

static void put_enter(struct slots *slots, uint32_t slot, bool sled, uint64_t function, uint64_t site)
{
    struct writer w = writer_at(slots, slot), first = writer_at(slots, slot + FIRST_PART);
    if (slots->counting) {
        int32_t tls = counts_tls_offset();
        put(&w, "\xeb\x64\x4c\x8b\x1c\x25", 6); /* once resolved: mov %fs:tls, %r11 */
        put(&w, &tls, 4);
        put(&w, "\x49\xff\x83\0\0\0\0", 7); /* incq number(%r11) */
        put(&w, "\x90", 1);
    } else
        put(&w, "\xeb\x64", 2);
    if (sled)
        put_r11(&w, function);
    put_jump(&w, stub(slots, sled ? STUB_SLED_ENTER : STUB_HOOK_ENTER));
    put_r11(&first, site);
    put_jump(&first, stub(slots, sled ? STUB_SLED_FIRST : STUB_ENTER_FIRST));
}

static void put_exit(struct slots *slots, uint32_t slot, enum site_kind kind, uint64_t function, uint64_t site)
{
    struct writer w = writer_at(slots, slot);
    if (kind == SITE_HOOK_EXIT) {
        struct writer first = writer_at(slots, slot + EXIT_FIRST);
        put(&w, "\xeb\x0f", 2);
        put_jump(&w, stub(slots, STUB_HOOK_EXIT));
        put_r11(&first, site);
        put_jump(&first, stub(slots, STUB_EXIT_FIRST));
        return;
    }
    if (kind == SITE_SLED_TAIL)
        put(&w, "\x41\x53", 2); /* push %r11: the jump behind the sled may need it */
    put_r11(&w, function);
    put_jump(&w, stub(slots, kind == SITE_SLED_TAIL ? STUB_SLED_TAIL : STUB_SLED_RETURN));
}

uint64_t slot_function(const struct slots *slots, uint32_t slot, enum site_kind kind)
{
    unsigned at = kind == SITE_SLED_RETURN ? 2 : kind == SITE_SLED_TAIL ? 4 : slots->counting ? TIMED_AT + 3 : 4;
    uint64_t function;
    /* read where it is executed: a child of a raw fork has no alias of its own yet */
    memcpy(&function, (const void *)(uintptr_t)(slot_address(slots, slot) + at), // NOLINT(performance-no-int-to-ptr)
           sizeof(function));
    return function;
}

bool slots_lead_to_probe(const struct slots *slots, uint64_t pc)
{
    uint64_t at = pc - slots->alias.start;
    if (!slots->counting || at < FIRST_SLOT || at >= slots->next_enter)
        return true;
    at = (at - FIRST_SLOT) / ENTER_SIZE * ENTER_SIZE + FIRST_SLOT;
    const uint8_t *timed =
        (const uint8_t *)(uintptr_t)slot_address(slots, (uint32_t)at); // NOLINT(performance-no-int-to-ptr)
    return timed[TIMED_AT] != RETURN;
}

uint32_t slots_add(struct slots *slots, enum site_kind kind, uint64_t function, uint64_t site, bool resolved)
{
    bool enter = kind == SITE_HOOK_ENTER || kind == SITE_SLED_ENTER;
    uint32_t *next = enter ? &slots->next_enter : &slots->next_exit, slot = *next;
    *next += enter ? ENTER_SIZE : EXIT_SIZE;
    if (enter)
        put_enter(slots, slot, kind == SITE_SLED_ENTER, function, site);
    else
        put_exit(slots, slot, kind, function, site);
    if (resolved)
        slot_resolve(slots, slot, kind, true);
    return slot;
}

static void store(struct slots *slots, uint32_t at, uint8_t byte)
{
    __atomic_store_n(slots->alias.bytes + at, byte, __ATOMIC_RELAXED);
}

void slot_number(struct slots *slots, uint32_t slot, uint32_t number)
{
    uint32_t displacement = number * (uint32_t)sizeof(uint64_t);
    memcpy(slots->alias.bytes + slot + NUMBER_AT, &displacement, sizeof(displacement));
}

void slot_resolve(struct slots *slots, uint32_t slot, enum site_kind kind, bool resolved)
{
    bool counting = slots->counting && (kind == SITE_HOOK_ENTER || kind == SITE_SLED_ENTER);
    if (kind != SITE_SLED_RETURN && kind != SITE_SLED_TAIL)
        store(slots, slot, !resolved ? JUMP_SHORT : counting ? FS : TEST_SHORT);
}

void slot_time(struct slots *slots, uint32_t slot, bool timed)
{
    if (slots->counting)
        store(slots, slot + TIMED_AT, timed ? NO_OP : RETURN);
}

/* --- where -----------------------------------------------------------------------------------------------------------
 */

static bool reserve(uint64_t at, uint64_t size)
{
    void *wanted = (void *)(uintptr_t)at; // NOLINT(performance-no-int-to-ptr)
    void *got = mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted)
        return true;
    if (got != MAP_FAILED) /* before Linux 4.17 it may be anywhere */
        munmap(got, size);
    return false;
}

/* Below the module: what grows behind the program is its heap. Else far behind it. 0: there is no room. */
static uint64_t find_room(uint64_t start, uint64_t end, uint64_t size)
{
    start = start / PAGE * PAGE;
    for (uint64_t away = size + 16 * PAGE, step = MEGABYTE; away + (end - start) < REACH;
         away += step, step += step / 4)
        if (start > away + 16 * PAGE && reserve((start - away) / PAGE * PAGE, size))
            return (start - away) / PAGE * PAGE;
    for (uint64_t away = 1024 * MEGABYTE; away + size + (end - start) < REACH; away += 16 * MEGABYTE)
        if (reserve((end + away) / PAGE * PAGE, size))
            return (end + away) / PAGE * PAGE;
    return 0;
}

const char *slots_make(struct slots *slots, uint64_t start, uint64_t end, uint32_t enters, uint32_t exits,
                       bool counting, const struct slot_probes *probes)
{
    uint64_t first_exit = FIRST_SLOT + (uint64_t)(enters + 2) * ENTER_SIZE;
    uint64_t size = (first_exit + (uint64_t)exits * EXIT_SIZE + PAGE - 1) / PAGE * PAGE;
    if (end - start > REACH / 2 || size > REACH / 4)
        return "so much code: its slots would be out of reach";
    uint64_t room = find_room(start, end, size);
    if (!room)
        return "room for its slots within 2 GiB";
    const char *wrong = text_alias_blank(&slots->alias, room, size);
    if (wrong) {
        munmap((void *)(uintptr_t)room, size); // NOLINT(performance-no-int-to-ptr)
        return wrong;
    }
    memset(slots->alias.bytes, BREAKPOINT, size);
    slots->next_enter = FIRST_SLOT;
    slots->next_exit = (uint32_t)first_exit;
    slots->counting = counting;
    put_stubs(slots, probes);
    return NULL;
}
