/* Records of functions: each is made once, and none behind the end of the list, when the profile is about to be copied.
 */
#include "profiler/code/functions.h"

#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/code/filter.h"
#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/modules/modules.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct config config;

static struct pcomp_chunk *last_chunk;

struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size)
{
    struct pcomp_chunk *c = calloc(1, size);
    cr_assert(c);
    c->kind = kind;
    c->size = size;
    c->owner = owner;
    c->record_size = record_size;
    return last_chunk = c;
}

uint64_t store_text(const char *text, size_t length)
{
    return (uint64_t)(uintptr_t)strndup(text, length);
}

bool filter_skips(uint32_t module, uint64_t address)
{
    (void)module;
    (void)address;
    return false;
}

bool filter_skips_region(const char *name)
{
    (void)name;
    return false;
}

void loaded_modules_hold(void (*work)(void *argument), void *argument)
{
    work(argument);
}

uint32_t module_known(uint64_t address)
{
    (void)address;
    return 0;
}

uint32_t module_of(uint64_t address)
{
    return module_known(address);
}

bool modules_register_all(void)
{
    return false;
}

static uint64_t gone_from, gone_to;

void modules_drop_unloaded(void (*gone)(uint64_t start, uint64_t end))
{
    gone(gone_from, gone_to);
}

void modules_forget(void) {}

bool sites_ask(void)
{
    return false;
}

void sites_register(uint64_t function)
{
    (void)function;
}

void sites_set_level(uint32_t function, enum site_level level)
{
    (void)function;
    (void)level;
}

void sites_forget(uint64_t start, uint64_t end)
{
    (void)start;
    (void)end;
}

void call_frames_forget(uint64_t start, uint64_t end)
{
    (void)start;
    (void)end;
}

static void was_told(uint64_t start, uint64_t end)
{
    cr_expect(start == gone_from && end == gone_to);
}

Test(functions, one_record_each)
{
    functions_start();
    cr_expect_eq(function_find(0x1000).id, PCOMP_FUNCTION_FIRST);
    cr_expect_eq(function_find(0x2000).id, PCOMP_FUNCTION_FIRST + 1);
    cr_expect_eq(function_find(0x1000).id, PCOMP_FUNCTION_FIRST);
    cr_expect_eq(functions_count(), PCOMP_FUNCTION_FIRST + 2);
    cr_expect_eq(function_address(PCOMP_FUNCTION_FIRST + 1), 0x2000);
}

Test(functions, none_gets_a_record_behind_the_end)
{
    functions_start();
    uint32_t known = function_find(0x1000).id, listed = last_chunk->count;
    functions_close();
    cr_expect_eq(function_find(0x2000).id, PCOMP_FUNCTION_BEYOND);
    cr_expect_eq(function_find_region("part").id, PCOMP_FUNCTION_BEYOND);
    cr_expect_not(function_is_known(0x2000));
    cr_expect_eq(function_find(0x1000).id, known, "those that have one keep it");
    cr_expect_eq(functions_count(), listed);
    cr_expect_eq(last_chunk->count, listed);
}

Test(functions, a_module_that_comes_again_behind_the_end_has_its_records)
{
    functions_start();
    uint32_t known = function_find(0x1000).id;
    functions_close();
    gone_from = 0x1000;
    gone_to = 0x1800;
    functions_drop_unloaded(was_told);
    cr_expect_not(function_is_known(0x1000));
    cr_expect_eq(function_find(0x1000).id, known);
}

Test(functions, a_new_session_begins_a_list)
{
    functions_start();
    functions_close();
    functions_start();
    cr_expect_eq(function_find(0x2000).id, PCOMP_FUNCTION_FIRST);
}
