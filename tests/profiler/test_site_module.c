/* Which program counters are in code that counts calls, or on the way to a probe. */
#include "profiler/base/counts.h"
#include "profiler/code/sites/site_module.h"

#include <criterion/criterion.h>
#include <string.h>

/* A module's code, and slots as slots.h has them: stubs, an enter that is counted alone, one that is timed, an exit. */
enum { CALL_COUNTED = 0, OFF_COUNTED = 16, PREFIXED = 32, OTHER = 48, CALL_TIMED = 64, CALL_EXIT = 80, OFF_EXIT = 96 };
enum { CODE_SIZE = 128, STUB = 16, COUNTED = 256, TIMED = 320, EXIT = 384, SLOTS_SIZE = 416, LAST = 17 };

static uint8_t code[CODE_SIZE], slots[SLOTS_SIZE + 64];

static uint64_t at(const uint8_t *bytes, unsigned offset)
{
    return (uint64_t)(uintptr_t)bytes + offset;
}

int32_t counts_tls_offset(void) /* of slots that are made; none is here */
{
    return 0;
}

static void put(unsigned where, uint8_t prefix, uint8_t opcode, unsigned slot)
{
    uint8_t *to = code + where;
    if (prefix)
        *to++ = prefix;
    *to++ = opcode;
    int32_t distance = (int32_t)(at(slots, slot) - (at(to, 0) + 4));
    memcpy(to, &distance, sizeof distance);
}

static void init(void)
{
    site_module_count = 1;
    site_modules[0] = (struct module_sites){.start = at(code, 0), .end = at(code, CODE_SIZE)};
    site_modules[0].alias.bytes = code;
    site_modules[0].alias.start = at(code, 0);
    site_modules[0].slots.alias.start = at(slots, 0);
    site_modules[0].slots.alias.size = SLOTS_SIZE;
    site_modules[0].slots.next_enter = EXIT;
    site_modules[0].slots.counting = true;
    slots[COUNTED + LAST] = 0xc3; /* ret */
    slots[TIMED + LAST] = 0x90;   /* nop */
    put(CALL_COUNTED, 0, 0xe8, COUNTED);
    put(OFF_COUNTED, 0, 0xa9, COUNTED); /* what takes a call's place: test $distance, %eax */
    put(PREFIXED, 0x67, 0xe8, COUNTED);
    put(OTHER, 0, 0xe8, SLOTS_SIZE);
    put(CALL_TIMED, 0, 0xe8, TIMED);
    put(CALL_EXIT, 0, 0xe8, EXIT);
    put(OFF_EXIT, 0, 0xa9, EXIT);
}

TestSuite(site_module, .init = init);

Test(site_module, code_that_counts_is_a_slot_and_what_calls_it)
{
    for (int off = 0; off < 2; off++) {
        cr_expect_eq(site_leads(at(slots, COUNTED + 3), off), SITE_COUNTS);
        cr_expect_eq(site_leads(at(slots, TIMED - 1), off), SITE_COUNTS);
        cr_expect_eq(site_leads(at(code, CALL_COUNTED), off), SITE_COUNTS);
        cr_expect_eq(site_leads(at(code, PREFIXED), off), SITE_COUNTS);
        cr_expect_eq(site_leads(at(code, OTHER), off), SITE_LEADS_NOWHERE, "that leads elsewhere");
        cr_expect_eq(site_leads(at(code, CALL_COUNTED + 1), off), SITE_LEADS_NOWHERE, "that is no instruction");
        cr_expect_eq(site_leads(at(slots, SLOTS_SIZE), off), SITE_LEADS_NOWHERE);
    }
}

Test(site_module, the_way_to_a_probe_is_not_counting)
{
    const uint64_t ways[] = {at(slots, STUB),      at(slots, TIMED),     at(slots, EXIT - 1), at(slots, EXIT),
                             at(slots, EXIT + 20), at(code, CALL_TIMED), at(code, CALL_EXIT)};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int off = 0; off < 2; off++)
            cr_expect_eq(site_leads(ways[i], off), SITE_LEADS_TO_PROBE, "way %zu", i);
}

Test(site_module, each_slot_leads_to_a_probe_where_none_counts)
{
    site_modules[0].slots.counting = false;
    cr_expect_eq(site_leads(at(slots, COUNTED), false), SITE_LEADS_TO_PROBE);
    cr_expect_eq(site_leads(at(code, CALL_COUNTED), false), SITE_LEADS_TO_PROBE);
}

Test(site_module, a_site_that_is_off_counts_where_that_is_asked_for)
{
    const unsigned sites[] = {OFF_COUNTED, OFF_EXIT};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        cr_expect_eq(site_leads(at(code, sites[i]), true), SITE_COUNTS);
        cr_expect_eq(site_leads(at(code, sites[i]), false), SITE_LEADS_NOWHERE);
    }
}
