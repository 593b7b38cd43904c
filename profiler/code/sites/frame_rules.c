#include "profiler/code/sites/frame_rules.h"

#include <string.h>

#define REMEMBERED 4 /* rows at once; compilers need one */
#define OPERANDS   4 /* of an expression, at once */

enum kind { SAME, SAVED /* at the frame's address plus value */, UNDEFINED, OTHER };

static const uint8_t kept[FRAME_RULES] = {3, 6, 12, 13, 14, 15, FRAME_PC};

struct program {
    const uint8_t *at, *end;
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t location;
    struct frame_row row, initial, remembered[REMEMBERED];
    unsigned depth;
    bool wrong;
};

static uint64_t read_fixed(struct program *p, unsigned size)
{
    uint64_t value = 0;
    if ((uint64_t)(p->end - p->at) < size) {
        p->wrong = true;
        return 0;
    }
    memcpy(&value, p->at, size);
    p->at += size;
    return value;
}

static uint64_t read_unsigned(struct program *p)
{
    uint64_t value = 0;
    for (unsigned shift = 0; p->at < p->end; shift += 7) {
        uint8_t byte = *p->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    p->wrong = true;
    return 0;
}

static int64_t read_signed(struct program *p)
{
    uint64_t value = 0;
    for (unsigned shift = 0; p->at < p->end;) {
        uint8_t byte = *p->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if ((byte & 0x40) && shift < 64)
                value |= UINT64_MAX << shift;
            return (int64_t)value;
        }
    }
    p->wrong = true;
    return 0;
}

/* Where the rule of a register is; FRAME_RULES: it is not followed. */
static unsigned place_of(uint64_t which)
{
    unsigned i = 0;
    while (i < FRAME_RULES && kept[i] != which)
        i++;
    return i;
}

static void set_rule(struct program *p, uint64_t which, enum kind kind, int64_t value)
{
    unsigned place = place_of(which);
    if (value != (int32_t)value)
        p->wrong = true;
    else if (place < FRAME_RULES)
        p->row.rules[place] = (struct frame_rule){(int32_t)value, (uint8_t)kind};
}

static const uint8_t *skip_block(struct program *p)
{
    const uint8_t *block = p->at;
    uint64_t size = read_unsigned(p);
    if (size > (uint64_t)(p->end - p->at))
        p->wrong = true;
    else
        p->at += size;
    return block;
}

static void restore_rule(struct program *p, uint64_t which)
{
    unsigned place = place_of(which);
    if (place < FRAME_RULES)
        p->row.rules[place] = p->initial.rules[place];
}

static void set_base(struct program *p, uint64_t base, int64_t offset)
{
    p->row.base = base < FRAME_REGISTERS ? (unsigned)base : 0; /* rax is not kept: refused below */
    p->row.offset = offset;
    p->row.expression = NULL;
}

static void run_extended(struct program *p, uint8_t operation)
{
    uint64_t which;
    switch (operation) {
    case 0x00: /* nop */
        break;
    case 0x05: /* offset_extended */
        which = read_unsigned(p);
        set_rule(p, which, SAVED, (int64_t)read_unsigned(p) * p->data_factor);
        break;
    case 0x06: /* restore_extended */
        restore_rule(p, read_unsigned(p));
        break;
    case 0x07: /* undefined */
        set_rule(p, read_unsigned(p), UNDEFINED, 0);
        break;
    case 0x08: /* same_value */
        set_rule(p, read_unsigned(p), SAME, 0);
        break;
    case 0x0a: /* remember_state */
        if (p->depth < REMEMBERED)
            p->remembered[p->depth++] = p->row;
        else
            p->wrong = true;
        break;
    case 0x0b: /* restore_state */
        if (p->depth)
            p->row = p->remembered[--p->depth];
        else
            p->wrong = true;
        break;
    case 0x0c: /* def_cfa */
        which = read_unsigned(p);
        set_base(p, which, (int64_t)read_unsigned(p));
        break;
    case 0x0d: /* def_cfa_register */
        set_base(p, read_unsigned(p), p->row.offset);
        break;
    case 0x0e: /* def_cfa_offset */
        p->row.offset = (int64_t)read_unsigned(p);
        break;
    case 0x0f: /* def_cfa_expression */
        p->row.expression = skip_block(p);
        break;
    case 0x10: /* expression, val_expression */
    case 0x16:
        which = read_unsigned(p);
        skip_block(p);
        set_rule(p, which, OTHER, 0);
        break;
    case 0x11: /* offset_extended_sf */
        which = read_unsigned(p);
        set_rule(p, which, SAVED, read_signed(p) * p->data_factor);
        break;
    case 0x12: /* def_cfa_sf */
        which = read_unsigned(p);
        set_base(p, which, read_signed(p) * p->data_factor);
        break;
    case 0x13: /* def_cfa_offset_sf */
        p->row.offset = read_signed(p) * p->data_factor;
        break;
    case 0x2e: /* GNU_args_size */
        read_unsigned(p);
        break;
    default:
        p->wrong = true;
    }
}

/* Executes instructions up to the row of `pc`. */
static void run(struct program *p, uint64_t pc)
{
    while (p->at < p->end && !p->wrong) {
        uint8_t byte = *p->at++, low = byte & 0x3f;
        if (byte >> 6 == 1) /* advance_loc */
            p->location += low * p->code_factor;
        else if (byte >= 0x02 && byte <= 0x04) /* advance_loc1, 2, 4 */
            p->location += read_fixed(p, 1u << (byte - 2)) * p->code_factor;
        else if (byte >> 6 == 2) /* offset */
            set_rule(p, low, SAVED, (int64_t)read_unsigned(p) * p->data_factor);
        else if (byte >> 6 == 3) /* restore */
            restore_rule(p, low);
        else
            run_extended(p, byte);
        if (p->location > pc)
            return;
    }
}

/* The common entry: version, augmentation, factors; then its instructions, up to `end`. */
static bool begin(struct program *p, const uint8_t *common, bool *sized)
{
    uint32_t length;
    memcpy(&length, common, sizeof(length));
    p->at = common + 8;
    p->end = common + 4 + length;
    uint64_t version = read_fixed(p, 1);
    const char *augmentation = (const char *)p->at;
    *sized = *augmentation == 'z';
    if (!*sized || strchr(augmentation, 'S')) /* a signal frame is none that was called */
        return false;
    p->at += strlen(augmentation) + 1;
    p->code_factor = read_unsigned(p);
    p->data_factor = read_signed(p);
    if ((version == 1 ? read_fixed(p, 1) : read_unsigned(p)) != FRAME_PC)
        return false;
    skip_block(p);
    return !p->wrong;
}

static bool read_word(uint64_t address, const struct frame_stack *stack, uint64_t *value)
{
    if (address < stack->low || address >= stack->high || stack->high - address < sizeof(*value))
        return false;
    memcpy(value, stack->bytes + (address - stack->low), sizeof(*value));
    return true;
}

struct operands {
    uint64_t value[OPERANDS];
    unsigned count;
    bool wrong;
};

static void push(struct operands *o, uint64_t value)
{
    if (o->count < OPERANDS)
        o->value[o->count++] = value;
    else
        o->wrong = true;
}

static uint64_t pop(struct operands *o)
{
    if (o->count)
        return o->value[--o->count];
    o->wrong = true;
    return 0;
}

static void run_operation(struct program *p, struct operands *o, uint8_t operation, const struct frame_registers *r,
                          const struct frame_stack *stack)
{
    uint64_t top;
    if (operation >= 0x70 && operation < 0x70 + FRAME_REGISTERS) { /* breg */
        push(o, r->value[operation - 0x70] + (uint64_t)read_signed(p));
        return;
    }
    if (operation >= 0x30 && operation < 0x50) { /* lit */
        push(o, operation - 0x30u);
        return;
    }
    top = pop(o);
    switch (operation) {
    case 0x06: /* deref */
        o->wrong |= !read_word(top, stack, &top);
        break;
    case 0x1a: /* and */
        top &= pop(o);
        break;
    case 0x22: /* plus */
        top += pop(o);
        break;
    case 0x23: /* plus_uconst */
        top += read_unsigned(p);
        break;
    case 0x24: /* shl */
        o->wrong |= top > 63;
        top = pop(o) << (top & 63);
        break;
    case 0x2a: /* ge */
        top = (int64_t)pop(o) >= (int64_t)top;
        break;
    default:
        o->wrong = true;
    }
    push(o, top);
}

/* What functions that align their stack say, a register plus a number and what lies there, and what linkers say of the
 * table through which libraries are called, where a frame grows in the middle of 16 bytes. */
static bool evaluate(const uint8_t *block, const struct frame_registers *r, const struct frame_stack *stack,
                     uint64_t *value)
{
    struct program p = {.at = block, .end = block + 10};
    struct operands o = {.count = 0};
    uint64_t size = read_unsigned(&p);
    if (p.wrong || size > 16)
        return false;
    p.end = p.at + size;
    while (p.at < p.end && !p.wrong && !o.wrong)
        run_operation(&p, &o, *p.at++, r, stack);
    *value = pop(&o);
    return !p.wrong && !o.wrong;
}

static bool is_known(unsigned which)
{
    return which == FRAME_SP || (which != FRAME_PC && place_of(which) < FRAME_RULES);
}

bool frame_rules_apply(const struct frame_row *row, const struct frame_stack *stack, struct frame_registers *r)
{
    struct frame_registers caller = *r;
    uint64_t address;
    if (row->expression ? !evaluate(row->expression, r, stack, &address) : !is_known(row->base))
        return false;
    if (!row->expression)
        address = r->value[row->base] + (uint64_t)row->offset;
    for (unsigned i = 0; i < FRAME_RULES; i++) {
        const struct frame_rule *rule = &row->rules[i];
        uint64_t *value = &caller.value[kept[i]];
        uint64_t at = address + (uint64_t)(int64_t)rule->value;
        /* an epilogue has taken it back already, as no rule mentions */
        bool is_back = kept[i] != FRAME_PC && at < r->value[FRAME_SP];
        if (rule->kind == SAVED && !is_back && !read_word(at, stack, value))
            return false;
        if (rule->kind == UNDEFINED || rule->kind == OTHER)
            *value = 0; /* of the pc: the outermost frame */
    }
    if (row->rules[FRAME_RULES - 1].kind == SAME)
        return false;
    caller.value[FRAME_SP] = address;
    *r = caller;
    return true;
}

bool frame_rules_find(const uint8_t *entry, uint64_t pc, struct frame_row *row)
{
    struct program p;
    uint32_t length, back;
    int32_t start;
    bool sized;
    memcpy(&length, entry, sizeof(length));
    memcpy(&back, entry + 4, sizeof(back));
    memcpy(&start, entry + 8, sizeof(start));
    p.row = p.initial = (struct frame_row){0};
    p.depth = 0;
    p.wrong = false;
    p.location = 0;
    if (!begin(&p, entry + 4 - back, &sized))
        return false;
    run(&p, UINT64_MAX);
    p.initial = p.row;
    p.location = (uint64_t)(uintptr_t)(entry + 8) + (uint64_t)(int64_t)start;
    p.at = entry + 16;
    p.end = entry + 4 + length;
    skip_block(&p); /* augmentation */
    run(&p, pc);
    *row = p.row;
    return !p.wrong;
}
