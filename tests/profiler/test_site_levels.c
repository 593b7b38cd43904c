/* Sites that were reached are resolved once their functions have counters, and not before: a thread would count behind
 * the end of its block. */
#include "profiler/code/sites/site_levels.h"

#include "profiler/code/arch/x86_64/kept_vectors.h"
#include "profiler/code/sites/site_module.h"

#include <criterion/criterion.h>
#include <string.h>

#define SITES 200u

struct spin sites_lock;
struct module_sites site_modules[SITE_MODULES_MAX];
uint32_t site_module_count = 1;

static struct site sites[SITES];
static uint8_t code[SITES];
/* Of each site, by its slot: the counter's number plus 1; how often it was resolved, and how often all threads had been
 * waited for when it was. */
static uint32_t numbers[SITES], resolved[SITES], waited_before[SITES];
static unsigned waits;
static bool timed[SITES];

void sites_synchronise(void)
{
    waits++;
}

struct module_sites *site_module_of(const struct site *s)
{
    return s >= sites && s < sites + SITES ? &site_modules[0] : NULL;
}

uint64_t slot_function(const struct slots *slots, uint32_t slot, enum site_kind kind)
{
    (void)slots;
    (void)kind;
    return slot;
}

void slot_number(struct slots *slots, uint32_t slot, uint32_t number)
{
    (void)slots;
    cr_expect_eq(resolved[slot], 0, "a number while the slot counts");
    numbers[slot] = number + 1;
}

void slot_resolve(struct slots *slots, uint32_t slot, enum site_kind kind, bool is_resolved)
{
    (void)slots;
    (void)kind;
    resolved[slot] += is_resolved;
    waited_before[slot] = waits;
}

void slot_time(struct slots *slots, uint32_t slot, bool is_timed)
{
    (void)slots;
    timed[slot] = is_timed;
}

bool text_alias_open(struct text_alias *alias)
{
    return alias->open = true;
}

void text_alias_shut(struct text_alias *alias)
{
    alias->open = false;
}

bool kept_vectors_return(const uint8_t *bytes, uint64_t size)
{
    (void)bytes;
    (void)size;
    return false;
}

/* Enters of functions of their own. */
static void make_sites(void)
{
    struct module_sites *m = &site_modules[0];
    m->alias.bytes = m->slots.alias.bytes = code;
    m->alias.size = sizeof code;
    m->slots.counting = true;
    for (uint32_t i = 1; i < SITES; i++)
        sites[i] = (struct site){.start = i, .slot = i, .kind = SITE_HOOK_ENTER, .length = 1, .on = 1, .off = 2};
}

TestSuite(site_levels, .init = make_sites);

Test(site_levels, none_without_a_counter)
{
    for (uint32_t i = 1; i <= 6; i++)
        sites_reach(&sites[i], i % 2 ? i : 500 + i); /* in turns: known and new functions */
    sites_resolve(500);
    for (uint32_t i = 1; i <= 6; i++) {
        bool ready = i % 2;
        cr_expect_eq(resolved[i], ready, "site %u", i);
        cr_expect_eq(numbers[i], ready ? i + 1 : 0, "site %u", i);
        cr_expect(site_is_reached(&sites[i]), "site %u", i);
        cr_expect_eq(!!(sites[i].flags & SITE_RESOLVED), ready, "site %u", i);
    }
    sites_resolve(500);
    cr_expect_eq(resolved[2], 0);
    sites_resolve(507);
    for (uint32_t i = 1; i <= 6; i++)
        cr_expect_eq(resolved[i], 1, "site %u", i);
    cr_expect_eq(numbers[6], 507);
}

Test(site_levels, a_number_is_seen_by_all_before_it_is_used)
{
    sites_reach(&sites[1], 499);
    sites_resolve(499);
    cr_expect_eq(waits, 0, "nothing to do: the id is not below what has counters");
    cr_expect_eq(resolved[1], 0);
    sites_resolve(500);
    cr_expect_eq(resolved[1], 1);
    cr_expect_geq(waited_before[1], 1);
    cr_expect_gt(waits, waited_before[1], "when it returns, no thread executes the old instructions");
}

Test(site_levels, changes_of_levels_wait_for_no_counter)
{
    sites_reach(&sites[1], 3);
    sites_reach(&sites[2], 900);
    sites_resolve(500);
    cr_expect(timed[1]);
    sites_set_level(3, SITE_COUNTED);
    sites_resolve(500);
    cr_expect_not(timed[1]);
    cr_expect_eq(resolved[1], 1);
    cr_expect_eq(resolved[2], 0);
}

Test(site_levels, can_be_written_until_nothing_is_to_be_carried_out)
{
    const struct module_sites *m = &site_modules[0];
    sites_reach(&sites[1], 3);
    sites_resolve(500);
    sites_set_level(3, SITE_OFF);
    cr_expect(m->slots.alias.open);
    for (int i = 0; i < SITE_RESOLVES_OPEN; i++) {
        sites_resolve(500); /* the first one turns the site off */
        cr_expect(m->alias.open);
        cr_expect(m->slots.alias.open);
    }
    sites_resolve(500);
    cr_expect_not(m->alias.open);
    cr_expect_not(m->slots.alias.open);
}

Test(site_levels, one_that_waits_long_is_due)
{
    bool due = false;
    for (uint32_t i = 1; i < SITES && !due; i++)
        due = !sites_reach(&sites[i], 600 + i);
    cr_expect(due);
    sites_resolve(500);
    cr_expect_eq(resolved[1], 0, "but has no counter");
}
