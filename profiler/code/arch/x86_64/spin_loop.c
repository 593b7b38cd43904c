#include "profiler/code/arch/x86_64/spin_loop.h"

#include "profiler/code/arch/x86_64/instruction.h"

#include <string.h>

enum { STEPS = 48, BRANCHES = 4 };

enum flow { FLOW_ON, FLOW_BRANCH, FLOW_JUMP, FLOW_END };

struct step {
    uint64_t next, target; /* offsets of the instructions behind it, and of its jump */
    enum flow flow;
    bool pauses;
};

/* False: no instruction that is known. */
static bool decode(const uint8_t *code, uint64_t size, uint64_t at, struct step *step)
{
    unsigned opcode, length = at < size ? instruction_length(code + at, size - at, &opcode) : 0;
    if (!length)
        return false;
    const uint8_t *byte = code + at + opcode;
    *step = (struct step){.next = at + length, .pauses = length == 2 && code[at] == 0xf3 && code[at + 1] == 0x90};
    bool near = *byte == 0xe9 || (*byte == 0x0f && (byte[1] & 0xf0) == 0x80);
    if (near || (*byte & 0xf0) == 0x70 || *byte == 0xeb || (*byte & 0xfc) == 0xe0) {
        int8_t short_distance = 0;
        int32_t near_distance = 0;
        if (near)
            memcpy(&near_distance, code + step->next - sizeof(near_distance), sizeof(near_distance));
        else
            memcpy(&short_distance, code + step->next - 1, 1);
        step->target = step->next + (uint64_t)(int64_t)(near_distance + short_distance);
        step->flow = *byte == 0xe9 || *byte == 0xeb ? FLOW_JUMP : FLOW_BRANCH;
    } else if (*byte == 0xc3 || *byte == 0xc2)
        step->flow = FLOW_END;
    return true;
}

bool spin_loop_pauses(const uint8_t *code, uint64_t size, uint64_t at)
{
    uint64_t here = at, later[BRANCHES]; /* targets of branches to the front, for where the way without them ends */
    uint32_t count = 0;
    bool closed = false, pauses = false;
    for (int i = 0; i < STEPS; i++) {
        struct step step;
        if (closed && here == at)
            return pauses;
        if (!decode(code, size, here, &step))
            return false;
        pauses |= step.pauses;
        here = step.next;
        if (step.flow == FLOW_ON)
            continue;
        bool back = step.target <= at && !closed;
        if (step.flow != FLOW_END && (back || (step.flow == FLOW_JUMP && step.target > here))) {
            closed |= back;
            here = step.target;
        } else if (step.flow == FLOW_BRANCH) {
            if (step.target > here && count < BRANCHES)
                later[count++] = step.target;
        } else if (count)
            here = later[--count];
        else
            return false;
    }
    return false;
}
