/* Which program counters are in code that counts calls. */
#include "profiler/code/sites/site_module.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CODE = 0x10000, SLOT = 0x20000, SLOT_SIZE = 64, CALL = 0, OFF = 16, PREFIXED = 32, OTHER = 48, SIZE = 64 };

static uint8_t bytes[SIZE];

static void put(unsigned at, uint8_t prefix, uint8_t opcode, uint64_t target)
{
    uint8_t *code = bytes + at;
    if (prefix)
        *code++ = prefix;
    *code++ = opcode;
    int32_t distance = (int32_t)(target - (CODE + (uint64_t)(code - bytes) + 4));
    memcpy(code, &distance, sizeof distance);
}

static void init(void)
{
    site_module_count = 1;
    site_modules[0] = (struct module_sites){.start = CODE, .end = CODE + SIZE};
    site_modules[0].alias.bytes = bytes;
    site_modules[0].alias.start = CODE;
    site_modules[0].slots.alias.start = SLOT;
    site_modules[0].slots.alias.size = SLOT_SIZE;
    put(CALL, 0, 0xe8, SLOT + 8);
    put(OFF, 0, 0xa9, SLOT + 8); /* what takes a call's place: test $distance, %eax */
    put(PREFIXED, 0x67, 0xe8, SLOT + 16);
    put(OTHER, 0, 0xe8, SLOT + SLOT_SIZE);
}

TestSuite(site_module, .init = init);

Test(site_module, code_that_counts_is_a_slot_and_what_calls_it)
{
    for (int off = 0; off < 2; off++) {
        cr_expect(site_leads_to_probe(SLOT + 3, off));
        cr_expect(site_leads_to_probe(CODE + CALL, off));
        cr_expect(site_leads_to_probe(CODE + PREFIXED, off));
        cr_expect_not(site_leads_to_probe(CODE + OTHER, off), "that leads elsewhere");
        cr_expect_not(site_leads_to_probe(CODE + CALL + 1, off), "that is no instruction");
        cr_expect_not(site_leads_to_probe(SLOT + SLOT_SIZE, off));
    }
}

Test(site_module, a_site_that_is_off_leads_to_a_slot_where_that_is_asked_for)
{
    cr_expect(site_leads_to_probe(CODE + OFF, true));
    cr_expect_not(site_leads_to_probe(CODE + OFF, false));
}
