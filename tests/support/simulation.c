/* The core of the simulated machine: the queue of locations, the recorder, and what concerns one location alone. */
#include "tests/support/simulation.h"
#include "tests/compensation/prng.h"
#include "tests/support/simulation_machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- The queue: a binary heap by time, then by number --- */

static bool earlier(const struct simulation *s, uint32_t one, uint32_t other)
{
    uint64_t a = s->runners[one].now, b = s->runners[other].now;

    return a < b || (a == b && one < other);
}

static void queue_push(struct simulation *s, uint32_t location)
{
    uint32_t i = s->heap_count++;

    while (i > 0 && earlier(s, location, s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = location;
}

static uint32_t queue_pop(struct simulation *s)
{
    uint32_t top = s->heap[0], moved = s->heap[--s->heap_count], i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= s->heap_count)
            break;
        if (child + 1 < s->heap_count && earlier(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!earlier(s, s->heap[child], moved))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = moved;
    return top;
}

void machine_wake(struct simulation *s, uint32_t location, uint64_t time)
{
    assert(time >= s->runners[location].now);
    s->runners[location].now = time;
    s->runners[location].phase++;
    queue_push(s, location);
}

void machine_start(struct simulation *s, uint32_t location, uint64_t time)
{
    s->runners[location].now = time;
    queue_push(s, location);
}

/* --- The recorder --- */

void *machine_grow(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    *capacity = needed < 8 ? 8 : needed * 2;
    array = realloc(array, *capacity * size);
    if (!array)
        abort();
    return array;
}

static void record(struct simulation *s, uint32_t location, uint32_t role, const struct pcomp_event_long *event)
{
    struct runner *runner = &s->runners[location];
    struct simulation_trace *trace = &s->result->traces[location];
    uint32_t kind = (uint32_t)(event->what >> 56), size = kind < PCOMP_EVENT_LONG ? 16 : 32;
    uint64_t alpha = (uint64_t)s->machine->alpha[kind] * runner->alpha_factor;

    if (trace->size + 32 > trace->capacity) {
        trace->capacity = trace->capacity ? trace->capacity * 2 : 1024;
        trace->records = realloc(trace->records, trace->capacity);
    }
    if (trace->events == trace->event_capacity) {
        trace->event_capacity = trace->event_capacity ? trace->event_capacity * 2 : 32;
        trace->names = realloc(trace->names, trace->event_capacity * sizeof *trace->names);
        trace->times = realloc(trace->times, trace->event_capacity * sizeof *trace->times);
    }
    if (!trace->records || !trace->names || !trace->times)
        abort();
    memcpy(trace->records + trace->size, event, size);
    trace->size += size;
    trace->names[trace->events] =
        (uint64_t)(runner->op + runner->started) << 32 | (uint64_t)runner->iteration << 8 | role;
    trace->times[trace->events++] = event->time;
    if (event->time < s->result->first)
        s->result->first = event->time;
    if (event->time > s->result->last)
        s->result->last = event->time;
    if (s->machine->jitter && alpha)
        alpha = alpha * (100 - s->machine->jitter + prng_below(&s->jitter_state, 2 * s->machine->jitter + 1)) / 100;
    runner->now += alpha;
}

void machine_stamp_long(struct simulation *s, uint32_t location, uint32_t role, uint32_t kind, uint64_t value,
                        uint64_t a, uint64_t b)
{
    record(s, location, role,
           &(struct pcomp_event_long){
               .time = s->runners[location].now, .what = (uint64_t)kind << 56 | value, .a = a, .b = b});
}

void machine_stamp(struct simulation *s, uint32_t location, uint32_t role, uint32_t kind, uint64_t value)
{
    machine_stamp_long(s, location, role, kind, value, 0, 0);
}

void machine_order(struct simulation *s, uint32_t location, uint64_t whom)
{
    uint64_t state = s->result->order[location] ^ whom;

    s->result->order[location] = prng_next(&state);
}

uint64_t machine_op_name(const struct simulation *s, uint32_t location)
{
    return (uint64_t)location << 32 | s->runners[location].op;
}

/* --- Running --- */

/* What the FLUSH_END says that an ENTER or an EXIT costs. */
static uint64_t drift(const struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    const int64_t *alpha = s->machine->alpha;

    if (!s->machine->drifts)
        return 0;
    s->runners[location].alpha_factor = 1 + op->amount % 4;
    return s->runners[location].alpha_factor * ((uint64_t)(alpha[PCOMP_EVENT_ENTER] + alpha[PCOMP_EVENT_EXIT]) << 10) /
           2;
}

static enum step local_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    uint64_t function = ((uint64_t)op->object + 1) << 4;

    switch (op->kind) {
    case SIMULATION_COMPUTE:
        s->runners[location].now += op->amount;
        break;
    case SIMULATION_CALL:
        machine_stamp(s, location, 0, PCOMP_EVENT_ENTER, function);
        break;
    case SIMULATION_RETURN:
        machine_stamp(s, location, 0, PCOMP_EVENT_EXIT, function);
        break;
    case SIMULATION_FLUSH: { /* only a recorder that costs something flushes */
        if (!s->machine->alpha[PCOMP_EVENT_FLUSH_END])
            break;
        uint64_t begin = s->runners[location].now;
        machine_stamp(s, location, 0, PCOMP_EVENT_FLUSH_BEGIN, 0);
        s->runners[location].now = begin + op->amount;
        machine_stamp(s, location, 1, PCOMP_EVENT_FLUSH_END, drift(s, location, op));
        break;
    }
    default:
        assert(!"no such operation");
    }
    return STEP_DONE;
}

/* Goes on with a location until it has to give way to others. */
static void advance(struct simulation *s, uint32_t location)
{
    struct runner *runner = &s->runners[location];
    const struct simulation_script *script = &s->program->locations[location];

    if (!runner->started) {
        machine_stamp(s, location, 0, PCOMP_EVENT_START, location + 1);
        runner->started = true;
        queue_push(s, location);
        return;
    }
    while (runner->op < script->count) {
        const struct simulation_op *op = &script->ops[runner->op];
        enum step step;

        if (op->kind <= SIMULATION_FLUSH)
            step = local_step(s, location, op);
        else if (op->kind < SIMULATION_SEND)
            step = machine_thread_step(s, location, op);
        else
            step = machine_message_step(s, location, op);
        if (step == STEP_BLOCKED)
            return;
        if (step == STEP_AGAIN) {
            runner->phase++;
        } else {
            runner->op++;
            runner->phase = runner->iteration = 0;
            if (op->kind <= SIMULATION_FLUSH)
                continue;
        }
        queue_push(s, location);
        return;
    }
    if (script->created && runner->phase == 0) {
        machine_stamp(s, location, 0, PCOMP_EVENT_END, location + 1);
        runner->phase = 1;
        queue_push(s, location);
        return;
    }
    runner->ended = true;
    runner->ended_at = runner->now;
    machine_end_thread(s, location);
}

static void begin(struct simulation *s)
{
    const struct simulation_program *program = s->program;

    for (uint32_t i = 0; i < program->count; i++) {
        const struct simulation_script *script = &program->locations[i];

        s->runners[i].joiner = NOBODY;
        s->runners[i].alpha_factor = 1;
        for (uint32_t k = 0; k < script->count; k++)
            s->group_size[script->ops[k].group]++;
        s->runners[i].started = !script->created;
        if (!script->created)
            queue_push(s, i);
        else if (script->count == 0)
            s->runners[i].ended = true; /* was removed */
    }
    for (uint32_t i = 0; i <= program->objects; i++)
        s->objects[i].waiters = (struct waiters){NOBODY, NOBODY};
    machine_messages_init(s);
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

bool simulation_run(const struct simulation_program *program, const struct simulation_machine *machine,
                    struct simulation_result *result)
{
    struct simulation s = {.program = program, .machine = machine, .result = result, .jitter_state = machine->seed};
    bool complete = true;

    *result = (struct simulation_result){.traces = zeroed(program->count, sizeof *result->traces),
                                         .order = zeroed(program->count, sizeof *result->order),
                                         .count = program->count,
                                         .first = UINT64_MAX};
    s.runners = zeroed(program->count, sizeof *s.runners);
    s.objects = zeroed(program->objects, sizeof *s.objects);
    s.group_size = zeroed(program->groups, sizeof *s.group_size);
    s.heap = zeroed(program->count, sizeof *s.heap);
    begin(&s);
    while (s.heap_count)
        advance(&s, queue_pop(&s));
    for (uint32_t i = 0; i < program->count; i++) {
        complete = complete && s.runners[i].ended;
        free(s.runners[i].requests);
    }
    for (uint32_t i = 0; i <= program->objects; i++) {
        free(s.objects[i].posts);
        free(s.objects[i].advanced);
    }
    machine_messages_free(&s);
    free(s.runners);
    free(s.objects);
    free(s.group_size);
    free(s.heap);
    if (result->first == UINT64_MAX)
        result->first = 0;
    return complete;
}

void simulation_result_free(struct simulation_result *result)
{
    for (uint32_t i = 0; i < result->count; i++) {
        free(result->traces[i].records);
        free(result->traces[i].names);
        free(result->traces[i].times);
    }
    free(result->traces);
    free(result->order);
    *result = (struct simulation_result){0};
}

bool simulation_same_order(const struct simulation_result *one, const struct simulation_result *other)
{
    return one->count == other->count && memcmp(one->order, other->order, one->count * sizeof *one->order) == 0;
}

const struct pcomp_event_long *simulation_record(const struct simulation_trace *trace, size_t event)
{
    size_t at = 0;

    while (event-- > 0)
        at += pcomp_event_size((const struct pcomp_event *)(const void *)(trace->records + at));
    return (const void *)(trace->records + at);
}
