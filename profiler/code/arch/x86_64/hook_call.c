#include "profiler/code/arch/x86_64/hook_call.h"

#include <string.h>

#define CALL          0xe8
#define JUMP          0xe9
#define INDIRECT      0xff
#define INDIRECT_CALL 0x15 /* ModRM: /2, 32 bits from the next instruction */
#define INDIRECT_JUMP 0x25 /* /4 */
#define BND           0xf2
#define ADDRESS_SIZE  0x67
#define RETURN        0xc3
#define TEST          0xa9 /* test $imm32, %eax */
#define NO_OP         0x90

/* What the 32-bit displacement at the end of an instruction that ends at `end` leads to. */
static uint64_t relative(const uint8_t *end)
{
    int32_t displacement;
    memcpy(&displacement, end - 4, sizeof(displacement));
    return (uint64_t)(uintptr_t)end + (uint64_t)(int64_t)displacement;
}

static bool find_slot(const struct hook_targets *t, uint64_t slot, enum hook *hook)
{
    for (unsigned h = 0; h < 2; h++)
        for (unsigned i = 0; i < t->slot_count[h]; i++)
            if (t->slots[h][i] == slot) {
                *hook = h;
                return true;
            }
    return false;
}

/* A stub of the linker: endbr64 or not, bnd or not, jmp *slot(%rip). */
static bool find_stub(const struct hook_targets *t, uint64_t stub, enum hook *hook)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (stub < t->text || stub + 16 > t->text_end)
        return false;
    const uint8_t *at = (const uint8_t *)(uintptr_t)stub;
    if (!memcmp(at, endbr64, sizeof(endbr64)))
        at += sizeof(endbr64);
    if (*at == BND)
        at++;
    return at[0] == INDIRECT && at[1] == INDIRECT_JUMP && find_slot(t, relative(at + 6), hook);
}

static bool find_hook(const struct hook_targets *t, uint64_t target, struct hook_call *call)
{
    for (unsigned h = 0; h < 2; h++)
        if (target == t->address[h]) {
            call->hook = h;
            return true;
        }
    call->stub = target;
    return find_stub(t, target, &call->hook);
}

bool hook_call_recognise(const struct hook_targets *targets, const uint8_t *at, unsigned length, unsigned opcode,
                         struct hook_call *call)
{
    uint8_t first = at[opcode], prefix = opcode ? at[0] : 0;
    if (first != CALL && first != JUMP && first != INDIRECT)
        return false;
    if (opcode > 1 || (opcode && prefix != BND && prefix != ADDRESS_SIZE))
        return false;
    bool indirect = first == INDIRECT, jump = first == JUMP || (indirect && at[opcode + 1] == INDIRECT_JUMP);
    if (indirect && !jump && at[opcode + 1] != INDIRECT_CALL)
        return false;
    if (indirect && prefix == ADDRESS_SIZE)
        return false; /* another address */
    uint64_t target = relative(at + length);
    call->stub = 0;
    if (!(indirect ? find_slot(targets, target, &call->hook) : find_hook(targets, target, call)))
        return false;
    call->byte = jump || (!indirect && prefix == BND) ? 0 : opcode;
    call->on = at[call->byte];
    call->off = jump ? RETURN : indirect ? 0x8d : call->byte == opcode ? TEST : 0x81;
    return true;
}

void hook_call_lead(struct hook_call *call, uint8_t *bytes, unsigned length, uint64_t at, uint64_t target)
{
    bool jump = call->off == RETURN;
    unsigned prefixes = jump ? 0 : length - 5;
    uint32_t displacement = (uint32_t)(target - (at + prefixes + 5));
    memset(bytes, jump ? NO_OP : ADDRESS_SIZE, length);
    bytes[prefixes] = jump ? JUMP : CALL;
    memcpy(bytes + prefixes + 1, &displacement, sizeof(displacement));
    call->byte = prefixes;
    call->on = bytes[prefixes];
    call->off = jump ? RETURN : TEST;
}
