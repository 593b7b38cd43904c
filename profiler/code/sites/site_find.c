/* Which instructions of a module are sites, and how they are led to their slots. */
#include "profiler/code/arch/x86_64/instruction.h"
#include "profiler/code/sites/site_module.h"

#include <string.h>

#define STUBS_MAX (sizeof(((struct module_sites *)0)->stubs) / sizeof(uint64_t))
#define STUB_SIZE 16u

static void add_site(struct module_sites *m, const uint8_t *at, unsigned length, const struct hook_call *call)
{
    m->sites[m->count++] = (struct site){.start = (uint32_t)((uint64_t)(uintptr_t)at - m->alias.start),
                                         .kind = call->hook == HOOK_ENTER ? SITE_HOOK_ENTER : SITE_HOOK_EXIT,
                                         .length = (uint8_t)length,
                                         .byte = (uint8_t)call->byte,
                                         .on = call->on,
                                         .off = call->off};
}

static void register_stub(struct module_sites *m, uint64_t stub)
{
    for (unsigned i = 0; i < m->stub_count; i++)
        if (m->stubs[i] == stub)
            return;
    if (m->stub_count < STUBS_MAX)
        m->stubs[m->stub_count++] = stub;
}

void site_find_hooks(struct module_sites *m, const struct hook_targets *targets, uint64_t from, uint64_t to)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)from, *end = (const uint8_t *)(uintptr_t)to;
    unsigned opcode, length;
    struct hook_call call;
    for (; at < end; at += length) {
        length = instruction_length(at, (uint64_t)(end - at), &opcode);
        if (length == 0)
            length = 1; /* data, or an instruction of another processor: decoding falls into step again soon */
        else if (hook_call_recognise(targets, at, length, opcode, &call)) {
            add_site(m, at, length, &call);
            if (call.stub)
                register_stub(m, call.stub);
        }
    }
}

void site_drop_stubs(struct module_sites *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        uint64_t address = m->alias.start + m->sites[i].start;
        bool is_stub = false;
        for (unsigned k = 0; k < m->stub_count; k++)
            is_stub |= address - m->stubs[k] < STUB_SIZE;
        if (!is_stub)
            m->sites[kept++] = m->sites[i];
    }
    m->count = kept;
}

/* --- slots -----------------------------------------------------------------------------------------------------------
 */

/* An enter hook that is reached by a jump has no return address in its function: it stays as it is. */
static bool can_be_led(const struct site *s)
{
    return s->kind != SITE_HOOK_ENTER || s->off != 0xc3;
}

static void lead_hook(struct module_sites *m, struct site *s)
{
    struct hook_call call = {.byte = s->byte, .on = s->on, .off = s->off};
    s->slot = slots_add(&m->slots, s->kind, 0, (uint64_t)(uintptr_t)s, false);
    hook_call_lead(&call, m->alias.bytes + s->start, s->length, m->alias.start + s->start,
                   slot_address(&m->slots, s->slot));
    s->byte = (uint8_t)call.byte;
    s->on = call.on;
    s->off = call.off;
}

void site_lead_hooks(struct module_sites *m)
{
    for (struct site *s = m->sites; s < m->sites + m->count; s++)
        if (!s->slot && can_be_led(s))
            lead_hook(m, s);
}

static void put_displacement(const struct module_sites *m, const struct site *s, unsigned at)
{
    uint64_t next = m->alias.start + s->start + at + 4;
    uint32_t displacement = (uint32_t)(slot_address(&m->slots, s->slot) - next);
    memcpy(m->alias.bytes + s->start + at, &displacement, sizeof(displacement));
}

/* Enter and tail: call slot (off: test $imm32, %eax) and a no-op of six bytes. Return: jmp slot (off: ret). */
static void lead_sled(struct module_sites *m, struct site *s)
{
    static const uint8_t no_op[] = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00};
    uint8_t *bytes = m->alias.bytes + s->start;
    if (s->kind != SITE_SLED_RETURN)
        memcpy(bytes + 5, no_op, sizeof(no_op));
    put_displacement(m, s, 1);
    bytes[0] = s->on;
}

void site_add_sled(struct module_sites *m, const struct sled *sled, bool resolved)
{
    struct site *s = &m->sites[m->count++];
    enum site_kind kind = sled->kind == SLED_ENTER    ? SITE_SLED_ENTER
                          : sled->kind == SLED_RETURN ? SITE_SLED_RETURN
                                                      : SITE_SLED_TAIL;
    *s = (struct site){.start = (uint32_t)(sled->address - m->alias.start),
                       .kind = (uint8_t)kind,
                       .length = SLED_SIZE,
                       .on = kind == SITE_SLED_RETURN ? 0xe9 : 0xe8,
                       .off = kind == SITE_SLED_RETURN ? 0xc3 : 0xa9};
    s->slot = slots_add(&m->slots, kind, sled->function, (uint64_t)(uintptr_t)s, resolved);
    lead_sled(m, s);
}
