/* What threads do to each other on the simulated machine: simulation.h, "Threads". */
#include "tests/support/simulation_machine.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t name_of(const struct simulation *s, uint32_t object)
{
    return ((uint64_t)object + 1) << 4 | (s->program->shared ? PCOMP_EVENT_SHARED : 0);
}

/* --- Queues, first come, first served --- */

static void wait_in(struct simulation *s, struct waiters *waiters, uint32_t location)
{
    s->runners[location].next = NOBODY;
    if (waiters->first == NOBODY)
        waiters->first = location;
    else
        s->runners[waiters->last].next = location;
    waiters->last = location;
}

static uint32_t take_first(struct simulation *s, struct waiters *waiters)
{
    uint32_t location = waiters->first;

    if (location != NOBODY)
        waiters->first = s->runners[location].next;
    return location;
}

/* The operation a waiting location is at. */
static const struct simulation_op *op_of(const struct simulation *s, uint32_t location)
{
    return &s->program->locations[location].ops[s->runners[location].op];
}

/* --- Barriers: the exits follow the last arrival --- */

static enum step barrier_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *barrier = &s->objects[op->object];
    uint32_t participants = s->group_size[op->group], other, rank = 1;
    uint64_t last = s->runners[location].now;

    switch (s->runners[location].phase) {
    case 0:
        machine_stamp_long(s, location, 0, PCOMP_EVENT_BARRIER_ENTER, name_of(s, op->object), participants, 0);
        return STEP_AGAIN;
    case 1:
        wait_in(s, &barrier->waiters, location);
        if (++barrier->arrived < participants)
            return STEP_BLOCKED;
        barrier->arrived = 0;
        while ((other = take_first(s, &barrier->waiters)) != NOBODY) {
            const struct simulation_op *theirs = op_of(s, other);

            if (theirs->kind == SIMULATION_BARRIER_LADDER) /* 1993 §3.2: i-th of P leaves after (P - i + 1) delays */
                machine_wake(s, other, last + (uint64_t)(participants - rank + 1) * theirs->delay);
            else
                machine_wake(s, other, last + theirs->delay);
            rank++;
        }
        return STEP_BLOCKED;
    default:
        machine_stamp(s, location, 1, PCOMP_EVENT_BARRIER_EXIT, name_of(s, op->object));
        return STEP_DONE;
    }
}

/* --- Semaphores: each P takes one V's unit, in order --- */

#define INITIAL UINT64_MAX /* a unit that nobody posted */

static void post(struct simulation *s, struct object *semaphore, uint64_t who)
{
    uint32_t waiter = take_first(s, &semaphore->waiters);

    if (waiter != NOBODY) {
        machine_order(s, waiter, who);
        machine_wake(s, waiter, s->runners[who >> 32].now + op_of(s, waiter)->delay);
        return;
    }
    semaphore->posts =
        machine_grow(semaphore->posts, &semaphore->post_capacity, semaphore->post_end + 1, sizeof *semaphore->posts);
    semaphore->posts[semaphore->post_end++] = who;
}

static enum step semaphore_init_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *semaphore = &s->objects[op->object];

    machine_stamp_long(s, location, 0, PCOMP_EVENT_SEM_INIT, name_of(s, op->object), op->amount, 0);
    semaphore->posts = machine_grow(semaphore->posts, &semaphore->post_capacity,
                                    semaphore->post_end + (uint32_t)op->amount, sizeof *semaphore->posts);
    for (uint64_t i = 0; i < op->amount; i++)
        semaphore->posts[semaphore->post_end++] = INITIAL;
    return STEP_DONE;
}

static enum step v_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    if (s->runners[location].phase == 0) {
        machine_stamp(s, location, 0, PCOMP_EVENT_SEM_V, name_of(s, op->object));
        return STEP_AGAIN;
    }
    post(s, &s->objects[op->object], machine_op_name(s, location));
    return STEP_DONE;
}

static enum step p_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *semaphore = &s->objects[op->object];
    struct runner *runner = &s->runners[location];

    switch (runner->phase) {
    case 0:
        machine_stamp(s, location, 0, PCOMP_EVENT_SEM_REQUEST, name_of(s, op->object));
        return STEP_AGAIN;
    case 1: /* the test */
        if (semaphore->post_first < semaphore->post_end) {
            machine_order(s, location, semaphore->posts[semaphore->post_first++]);
            machine_stamp(s, location, 1, PCOMP_EVENT_SEM_PASSED, name_of(s, op->object));
            runner->now += op->delay;
            runner->phase = 2;
            return STEP_AGAIN;
        }
        machine_stamp(s, location, 2, PCOMP_EVENT_SEM_WAIT, name_of(s, op->object));
        return STEP_AGAIN;
    case 2: /* posts may have come while P_W was recorded */
        if (semaphore->post_first < semaphore->post_end) {
            machine_order(s, location, semaphore->posts[semaphore->post_first++]);
            runner->now += op->delay;
            return STEP_AGAIN;
        }
        wait_in(s, &semaphore->waiters, location);
        return STEP_BLOCKED;
    default:
        machine_stamp(s, location, 3, PCOMP_EVENT_SEM_TAKEN, name_of(s, op->object));
        return STEP_DONE;
    }
}

/* --- Locks: first come, first served; readers together --- */

static bool wants_shared(const struct simulation_op *op)
{
    return op->kind == SIMULATION_LOCK_SHARED;
}

static bool lock_is_free(const struct object *lock, bool shared)
{
    return !lock->writer && lock->waiters.first == NOBODY && (shared || lock->readers == 0);
}

static void lock_take(struct simulation *s, struct object *lock, uint32_t location, bool shared)
{
    machine_order(s, location, lock->writers_served);
    if (shared) {
        lock->readers++;
        lock->readers_served++;
        return;
    }
    machine_order(s, location, lock->readers_served);
    lock->writer = true;
    lock->writers_served++;
}

static void lock_give(struct simulation *s, struct object *lock, uint64_t now)
{
    if (lock->writer)
        lock->writer = false;
    else
        lock->readers--;
    while (lock->waiters.first != NOBODY && !lock->writer) {
        const struct simulation_op *op = op_of(s, lock->waiters.first);
        bool shared = wants_shared(op);

        if (!shared && lock->readers)
            break;
        uint32_t next = take_first(s, &lock->waiters);
        lock_take(s, lock, next, shared);
        machine_wake(s, next, now > s->runners[next].now ? now : s->runners[next].now);
    }
}

/* Phases `from`: request, `from` + 1: test, + 2: held. Monitors lock this way too. STEP_DONE: held, ACQUIRED recorded.
 */
static enum step acquire(struct simulation *s, uint32_t location, const struct simulation_op *op, uint32_t from)
{
    struct object *lock = &s->objects[op->object];
    bool shared = wants_shared(op);
    uint64_t name = name_of(s, op->object) | shared;

    switch (s->runners[location].phase - from) {
    case 0:
        machine_stamp(s, location, 0, PCOMP_EVENT_LOCK_REQUEST, name);
        return STEP_AGAIN;
    case 1:
        if (lock_is_free(lock, shared)) {
            lock_take(s, lock, location, shared);
            return STEP_AGAIN;
        }
        wait_in(s, &lock->waiters, location);
        machine_stamp(s, location, 1, PCOMP_EVENT_LOCK_WAIT, name);
        return STEP_BLOCKED;
    default:
        machine_stamp(s, location, 2, PCOMP_EVENT_LOCK_ACQUIRED, name);
        return STEP_DONE;
    }
}

static enum step unlock_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *lock = &s->objects[op->object];

    if (s->runners[location].phase == 0) {
        machine_stamp(s, location, 0, PCOMP_EVENT_LOCK_RELEASE, name_of(s, op->object) | (lock->readers > 0));
        return STEP_AGAIN;
    }
    lock_give(s, lock, s->runners[location].now);
    return STEP_DONE;
}

/* --- Monitors: a lock (object), a condition (object + 1), a number of items --- */

enum { MONITOR_LOCKED = 3, MONITOR_SLEEP, MONITOR_WOKEN, MONITOR_SIGNAL, MONITOR_RELEASE, MONITOR_UNLOCK };

static void wake_sleeper(struct simulation *s, struct object *lock, struct object *condition, uint32_t signaller)
{
    uint32_t sleeper = take_first(s, &condition->waiters);

    if (sleeper == NOBODY)
        return;
    machine_order(s, sleeper, machine_op_name(s, signaller));
    /* The signaller holds the lock, so the sleeper goes on waiting for that. */
    wait_in(s, &lock->waiters, sleeper);
}

static enum step monitor_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct runner *runner = &s->runners[location];
    struct object *lock = &s->objects[op->object], *condition = &s->objects[op->object + 1];
    uint64_t name = name_of(s, op->object), condition_name = name_of(s, op->object + 1);
    enum step step;

    switch (runner->phase) {
    case MONITOR_LOCKED:
        machine_order(s, location, (uint64_t)lock->value);
        if (op->kind == SIMULATION_PUT) {
            lock->value++;
            machine_stamp(s, location, 3, op->amount ? PCOMP_EVENT_COND_BROADCAST : PCOMP_EVENT_COND_SIGNAL,
                          condition_name);
            runner->phase = MONITOR_SIGNAL - 1;
            return STEP_AGAIN;
        }
        if (lock->value > 0) {
            lock->value--;
            runner->phase = MONITOR_RELEASE - 1;
            return STEP_AGAIN;
        }
        machine_stamp_long(s, location, 4, PCOMP_EVENT_COND_WAIT, condition_name, name, 0);
        return STEP_AGAIN;
    case MONITOR_SLEEP:
        wait_in(s, &condition->waiters, location);
        lock_give(s, lock, runner->now);
        return STEP_BLOCKED;
    case MONITOR_WOKEN:
        machine_stamp_long(s, location, 5, PCOMP_EVENT_COND_WOKEN, condition_name, name, 0);
        runner->iteration++;
        runner->phase = MONITOR_LOCKED - 1;
        return STEP_AGAIN;
    case MONITOR_SIGNAL:
        do
            wake_sleeper(s, lock, condition, location);
        while (op->amount && condition->waiters.first != NOBODY);
        return STEP_AGAIN;
    case MONITOR_RELEASE:
        machine_stamp(s, location, 6, PCOMP_EVENT_LOCK_RELEASE, name);
        return STEP_AGAIN;
    case MONITOR_UNLOCK:
        lock_give(s, lock, runner->now);
        return STEP_DONE;
    default:
        step = acquire(s, location, op, 0);
        return step == STEP_DONE ? STEP_AGAIN : step;
    }
}

/* --- Advance and await --- */

static enum step advance_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *variable = &s->objects[op->object];
    uint32_t waiter, end = variable->waiters.last;
    bool more = variable->waiters.first != NOBODY;

    if (s->runners[location].phase == 0) {
        machine_stamp_long(s, location, 0, PCOMP_EVENT_ADVANCE, name_of(s, op->object), op->amount, 0);
        return STEP_AGAIN;
    }
    variable->advanced = machine_grow(variable->advanced, &variable->advanced_capacity, variable->advanced_count + 1,
                                      sizeof *variable->advanced);
    variable->advanced[variable->advanced_count++] = op->amount;
    while (more) {
        waiter = take_first(s, &variable->waiters);
        more = waiter != end;
        if (op_of(s, waiter)->amount == op->amount)
            machine_wake(s, waiter, s->runners[location].now + op_of(s, waiter)->delay);
        else
            wait_in(s, &variable->waiters, waiter);
    }
    return STEP_DONE;
}

static enum step await_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    struct object *variable = &s->objects[op->object];

    switch (s->runners[location].phase) {
    case 0:
        machine_stamp_long(s, location, 0, PCOMP_EVENT_AWAIT_BEGIN, name_of(s, op->object), op->amount, 0);
        return STEP_AGAIN;
    case 1:
        for (uint32_t i = variable->advanced_count; i-- > 0;) {
            if (variable->advanced[i] == op->amount) {
                s->runners[location].now += op->delay;
                return STEP_AGAIN;
            }
        }
        wait_in(s, &variable->waiters, location);
        return STEP_BLOCKED;
    default:
        machine_stamp_long(s, location, 1, PCOMP_EVENT_AWAIT_END, name_of(s, op->object), op->amount, 0);
        return STEP_DONE;
    }
}

/* --- Creating and joining; op->object is the location --- */

static enum step create_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    if (s->runners[location].phase == 0) {
        machine_stamp(s, location, 0, PCOMP_EVENT_CREATE, op->object + 1);
        return STEP_AGAIN;
    }
    machine_start(s, op->object, s->runners[location].now + op->delay);
    return STEP_DONE;
}

static enum step join_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    switch (s->runners[location].phase) {
    case 0:
        machine_stamp(s, location, 0, PCOMP_EVENT_JOIN_BEGIN, op->object + 1);
        return STEP_AGAIN;
    case 1:
        if (!s->runners[op->object].ended) {
            s->runners[op->object].joiner = location;
            return STEP_BLOCKED;
        }
        s->runners[location].now += op->delay;
        return STEP_AGAIN;
    default:
        machine_stamp(s, location, 1, PCOMP_EVENT_JOIN_END, op->object + 1);
        return STEP_DONE;
    }
}

void machine_end_thread(struct simulation *s, uint32_t location)
{
    uint32_t joiner = s->runners[location].joiner;

    if (joiner != NOBODY)
        machine_wake(s, joiner, s->runners[location].now + op_of(s, joiner)->delay);
}

enum step machine_thread_step(struct simulation *s, uint32_t location, const struct simulation_op *op)
{
    switch (op->kind) {
    case SIMULATION_BARRIER:
    case SIMULATION_BARRIER_LADDER:
        return barrier_step(s, location, op);
    case SIMULATION_SEM_INIT:
        return semaphore_init_step(s, location, op);
    case SIMULATION_V:
        return v_step(s, location, op);
    case SIMULATION_P:
        return p_step(s, location, op);
    case SIMULATION_LOCK:
    case SIMULATION_LOCK_SHARED:
        return acquire(s, location, op, 0);
    case SIMULATION_UNLOCK:
        return unlock_step(s, location, op);
    case SIMULATION_PUT:
    case SIMULATION_TAKE:
        return monitor_step(s, location, op);
    case SIMULATION_ADVANCE:
        return advance_step(s, location, op);
    case SIMULATION_AWAIT:
        return await_step(s, location, op);
    case SIMULATION_CREATE:
        return create_step(s, location, op);
    default:
        assert(op->kind == SIMULATION_JOIN);
        return join_step(s, location, op);
    }
}
