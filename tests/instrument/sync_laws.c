#include "tests/instrument/sync_laws.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define uthash_fatal(text) abort()
#include <uthash.h>

#define HELD_MAX 64

enum class { CLASS_TOKEN, CLASS_BARRIER, CLASS_SEMAPHORE, CLASS_LOCK, CLASS_CONDITION, CLASS_ADVANCED };

struct key {
    uint64_t name, index;
    int32_t process;
    uint32_t class;
};

struct object { /* of any class; what does not apply stays 0 */
    struct key key;
    uint64_t created, started, ended;     /* token */
    uint64_t enters, exits, participants; /* barrier */
    bool older;                           /* than the recording */
    uint64_t initial, posted, taken;      /* semaphore */
    bool known;                           /* its initial value */
    uint64_t readers, writers;            /* lock */
    uint64_t signals_open, signalled_at;  /* condition: signals that may not have taken effect yet; when the last did */
    uint64_t advanced;
    UT_hash_handle handle;
};

struct held {
    uint64_t lock; /* with bit 0 */
    uint64_t times;
};

struct location {
    uint64_t events, token;
    bool ended;
    struct object *signals; /* the condition that its last event signals */
    uint64_t semaphore, semaphore_phase;
    uint64_t request, request_phase;
    uint64_t barrier, join, awaited, awaited_index;
    uint64_t condition, mutex, wait_time;
    struct held held[HELD_MAX];
};

/* The C library may wake a waiter without a signal. So many wakes for one that does, of a program that counts none. */
#define WAKES_A_SPURIOUS_ONE 100

struct sync_laws {
    struct object *objects;
    struct location *locations;
    uint64_t wakes, spurious_wakes; /* returns of waits for condition variables; those without a signal */
    uint32_t count, current;
    uint64_t misses;
};

static const struct {
    uint32_t kind;
    const char *name;
} names[] = {{PCOMP_EVENT_ENTER, "ENTER"},
             {PCOMP_EVENT_EXIT, "EXIT"},
             {PCOMP_EVENT_FLUSH_BEGIN, "FLUSH_BEGIN"},
             {PCOMP_EVENT_FLUSH_END, "FLUSH_END"},
             {PCOMP_EVENT_LOST, "LOST"},
             {PCOMP_EVENT_PAUSE, "PAUSE"},
             {PCOMP_EVENT_RESUME, "RESUME"},
             {PCOMP_EVENT_UNWIND, "UNWIND"},
             {PCOMP_EVENT_CREATE, "CREATE"},
             {PCOMP_EVENT_START, "START"},
             {PCOMP_EVENT_END, "END"},
             {PCOMP_EVENT_JOIN_BEGIN, "JOIN_BEGIN"},
             {PCOMP_EVENT_JOIN_END, "JOIN_END"},
             {PCOMP_EVENT_BARRIER_ENTER, "BARRIER_ENTER"},
             {PCOMP_EVENT_BARRIER_EXIT, "BARRIER_EXIT"},
             {PCOMP_EVENT_SEM_INIT, "SEM_INIT"},
             {PCOMP_EVENT_SEM_V, "SEM_V"},
             {PCOMP_EVENT_SEM_REQUEST, "SEM_REQUEST"},
             {PCOMP_EVENT_SEM_WAIT, "SEM_WAIT"},
             {PCOMP_EVENT_SEM_PASSED, "SEM_PASSED"},
             {PCOMP_EVENT_SEM_TAKEN, "SEM_TAKEN"},
             {PCOMP_EVENT_SEM_FAILED, "SEM_FAILED"},
             {PCOMP_EVENT_LOCK_REQUEST, "LOCK_REQUEST"},
             {PCOMP_EVENT_LOCK_WAIT, "LOCK_WAIT"},
             {PCOMP_EVENT_LOCK_ACQUIRED, "LOCK_ACQUIRED"},
             {PCOMP_EVENT_LOCK_FAILED, "LOCK_FAILED"},
             {PCOMP_EVENT_LOCK_RELEASE, "LOCK_RELEASE"},
             {PCOMP_EVENT_COND_WAIT, "COND_WAIT"},
             {PCOMP_EVENT_COND_WOKEN, "COND_WOKEN"},
             {PCOMP_EVENT_COND_SIGNAL, "COND_SIGNAL"},
             {PCOMP_EVENT_COND_BROADCAST, "COND_BROADCAST"},
             {PCOMP_EVENT_ADVANCE, "ADVANCE"},
             {PCOMP_EVENT_AWAIT_BEGIN, "AWAIT_BEGIN"},
             {PCOMP_EVENT_AWAIT_END, "AWAIT_END"},
             {PCOMP_EVENT_STREAM_WRITE, "STREAM_WRITE"},
             {PCOMP_EVENT_STREAM_WRITTEN, "STREAM_WRITTEN"},
             {PCOMP_EVENT_STREAM_READ, "STREAM_READ"},
             {PCOMP_EVENT_STREAM_DONE, "STREAM_DONE"},
             {PCOMP_EVENT_EXTERNAL_BEGIN, "EXTERNAL_BEGIN"},
             {PCOMP_EVENT_EXTERNAL_END, "EXTERNAL_END"}};

const char *sync_kind_name(uint32_t kind)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].kind == kind)
            return names[i].name;
    return NULL;
}

bool sync_laws_goes_first(uint32_t a, uint32_t b)
{
    static const uint8_t causes[] = {PCOMP_EVENT_CREATE,         PCOMP_EVENT_END,          PCOMP_EVENT_SEM_INIT,
                                     PCOMP_EVENT_SEM_V,          PCOMP_EVENT_LOCK_RELEASE, PCOMP_EVENT_COND_SIGNAL,
                                     PCOMP_EVENT_COND_BROADCAST, PCOMP_EVENT_ADVANCE,      PCOMP_EVENT_BARRIER_ENTER};
    return memchr(causes, (int)a, sizeof(causes)) && !memchr(causes, (int)b, sizeof(causes));
}

struct sync_laws *sync_laws_new(uint32_t locations)
{
    struct sync_laws *laws = calloc(1, sizeof(*laws));
    if (!laws || !(laws->locations = calloc(locations, sizeof(*laws->locations))))
        abort();
    laws->count = locations;
    return laws;
}

void sync_laws_free(struct sync_laws *laws)
{
    struct object *o, *next;
    HASH_ITER(handle, laws->objects, o, next)
    {
        HASH_DELETE(handle, laws->objects, o);
        free(o);
    }
    free(laws->locations);
    free(laws);
}

uint64_t sync_laws_misses(const struct sync_laws *laws, uint64_t unsignalled)
{
    uint64_t allowed = unsignalled == SYNC_UNKNOWN ? laws->wakes / WAKES_A_SPURIOUS_ONE : unsignalled;
    if (laws->spurious_wakes <= allowed)
        return laws->misses;
    printf("MISS %" PRIu64 " of %" PRIu64 " COND_WOKEN: no signal since COND_WAIT\n", laws->spurious_wakes,
           laws->wakes);
    return laws->misses + laws->spurious_wakes;
}

static __attribute__((format(printf, 4, 5))) void hold(struct sync_laws *laws, bool holds,
                                                       const struct pcomp_event_long *e, const char *law, ...)
{
    if (holds || ++laws->misses > 100)
        return;
    const char *name = sync_kind_name((uint32_t)(e->what >> 56));
    printf("MISS location %u, event %" PRIu64 ", tick %" PRIu64 ", %s of 0x%" PRIx64 ": ", laws->current,
           laws->locations[laws->current].events - 1, e->time, name ? name : "?",
           (uint64_t)(e->what & PCOMP_EVENT_VALUE));
    va_list arguments;
    va_start(arguments, law);
    vprintf(law, arguments);
    va_end(arguments);
    putchar('\n');
}

static struct object *object_of(struct sync_laws *laws, enum class class, uint64_t name, uint64_t index,
                                int32_t process)
{
    struct key key;
    memset(&key, 0, sizeof(key));
    key.name = name;
    key.index = index;
    bool one = class != CLASS_TOKEN && class != CLASS_ADVANCED && name & PCOMP_EVENT_SHARED;
    key.process = one ? 0 : process;
    key.class = class;
    struct object *o;
    HASH_FIND(handle, laws->objects, &key, sizeof(key), o);
    if (o)
        return o;
    o = calloc(1, sizeof(*o));
    if (!o)
        abort();
    o->key = key;
    HASH_ADD(handle, laws->objects, key, sizeof(key), o);
    return o;
}

/* A robust mutex outlives its holder. */
static void release_all(struct sync_laws *laws, struct location *l, int32_t process)
{
    for (struct held *h = l->held; h < l->held + HELD_MAX; h++)
        if (h->times) {
            struct object *o = object_of(laws, CLASS_LOCK, h->lock & ~1ull, 0, process);
            *(h->lock & 1 ? &o->readers : &o->writers) -= h->times;
            h->times = 0;
        }
}

/* --- one class of events each ---------------------------------------------------------------------------------------
 */

static void thread_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                         const struct pcomp_event_long *e)
{
    uint64_t token = e->what & PCOMP_EVENT_VALUE;
    bool is_process = token & PCOMP_EVENT_SHARED; /* whose END is that of its location */
    struct object *o = object_of(laws, CLASS_TOKEN, token, 0, is_process ? 0 : process);
    hold(laws, token != 0, e, "a token is never 0");
    switch (kind) {
    case PCOMP_EVENT_CREATE:
        hold(laws, !o->created++, e, "the token was used before");
        break;
    case PCOMP_EVENT_START:
        hold(laws, o->created, e, "before its CREATE");
        hold(laws, !l->token, e, "the thread is in another region");
        l->token = is_process ? 0 : token;
        l->ended = false;
        o->started++;
        break;
    case PCOMP_EVENT_END:
        hold(laws, o->started > o->ended, e, "of what was not started");
        hold(laws, l->token == token, e, "of another thread");
        l->token = 0;
        l->ended = true;
        o->ended++;
        release_all(laws, l, process);
        break;
    case PCOMP_EVENT_JOIN_BEGIN:
        l->join = token;
        break;
    case PCOMP_EVENT_JOIN_END:
        hold(laws, is_process ? l->join != 0 : l->join == token, e, "without its JOIN_BEGIN");
        hold(laws, is_process || (o->ended && o->ended == o->started), e,
             "%" PRIu64 " of %" PRIu64 " threads have ended", o->ended, o->started);
        l->join = 0;
        break;
    default:
        break;
    }
}

static void barrier_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                          const struct pcomp_event_long *e)
{
    uint64_t name = e->what & PCOMP_EVENT_VALUE;
    struct object *b = object_of(laws, CLASS_BARRIER, name, 0, process);
    if (kind == PCOMP_EVENT_BARRIER_ENTER) {
        if (b->participants != e->a && b->enters == b->exits) /* another barrier in its place */
            b->enters = b->exits = 0;
        else
            hold(laws, !b->enters || b->participants == e->a, e, "other participants than before");
        hold(laws, !l->barrier, e, "in another barrier");
        b->participants = e->a;
        b->older = e->b != 0;
        b->enters++;
        l->barrier = name;
        return;
    }
    hold(laws, l->barrier == name, e, "of a barrier that was not entered");
    b->exits++;
    if (b->participants && !b->older)
        hold(laws, b->exits <= b->enters / b->participants * b->participants, e,
             "exit %" PRIu64 " after %" PRIu64 " enters of %" PRIu64, b->exits, b->enters, b->participants);
    l->barrier = 0;
}

static void semaphore_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                            const struct pcomp_event_long *e)
{
    uint64_t name = e->what & PCOMP_EVENT_VALUE, phase = l->semaphore_phase;
    struct object *s = object_of(laws, CLASS_SEMAPHORE, name, 0, process);
    switch (kind) {
    case PCOMP_EVENT_SEM_INIT:
        s->initial = e->a;
        s->known = true;
        s->posted = s->taken = 0;
        return;
    case PCOMP_EVENT_SEM_V:
        s->posted++; /* also from a handler inside a P */
        return;
    case PCOMP_EVENT_SEM_REQUEST:
        hold(laws, !phase, e, "inside another P");
        l->semaphore = name;
        l->semaphore_phase = kind;
        return;
    case PCOMP_EVENT_SEM_WAIT:
    case PCOMP_EVENT_SEM_PASSED:
        hold(laws, phase == PCOMP_EVENT_SEM_REQUEST && l->semaphore == name, e, "not behind P_S");
        l->semaphore_phase = kind;
        return;
    case PCOMP_EVENT_SEM_TAKEN:
        hold(laws, (phase == PCOMP_EVENT_SEM_WAIT || phase == PCOMP_EVENT_SEM_PASSED) && l->semaphore == name, e,
             "not behind P_W or P_P");
        s->taken++;
        hold(laws, !s->known || s->taken <= s->initial + s->posted, e,
             "P %" PRIu64 " with %" PRIu64 " at first and %" PRIu64 " V", s->taken, s->initial, s->posted);
        break;
    default:
        hold(laws, (phase == PCOMP_EVENT_SEM_WAIT || phase == PCOMP_EVENT_SEM_REQUEST) && l->semaphore == name, e,
             "not behind P_S or P_W");
    }
    l->semaphore_phase = 0;
}

static void acquire(struct sync_laws *laws, struct location *l, int32_t process, uint64_t lock,
                    const struct pcomp_event_long *e)
{
    struct object *o = object_of(laws, CLASS_LOCK, lock & ~1ull, 0, process);
    hold(laws, !o->writers, e, "held exclusively by another");
    hold(laws, lock & 1 || !o->readers, e, "held by %" PRIu64 " readers", o->readers);
    *(lock & 1 ? &o->readers : &o->writers) += 1;
    struct held *free_one = NULL;
    for (struct held *h = l->held; h < l->held + HELD_MAX; h++) {
        if (h->times && h->lock == lock) {
            h->times++;
            return;
        }
        if (!h->times && !free_one)
            free_one = h;
    }
    if (free_one)
        *free_one = (struct held){lock, 1};
}

static void release(struct sync_laws *laws, struct location *l, int32_t process, uint64_t lock,
                    const struct pcomp_event_long *e)
{
    struct object *o = object_of(laws, CLASS_LOCK, lock & ~1ull, 0, process);
    uint64_t *holders = lock & 1 ? &o->readers : &o->writers;
    hold(laws, *holders > 0, e, "not held");
    *holders -= *holders > 0;
    for (struct held *h = l->held; h < l->held + HELD_MAX; h++)
        if (h->times && h->lock == lock) {
            h->times--;
            return;
        }
    hold(laws, lock & 1, e, "held by another");
}

static void lock_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                       const struct pcomp_event_long *e)
{
    uint64_t lock = e->what & PCOMP_EVENT_VALUE;
    switch (kind) {
    case PCOMP_EVENT_LOCK_REQUEST:
        hold(laws, !l->request_phase, e, "inside another request");
        l->request = lock;
        l->request_phase = kind;
        return;
    case PCOMP_EVENT_LOCK_WAIT:
        hold(laws, l->request_phase == PCOMP_EVENT_LOCK_REQUEST && l->request == lock, e, "not behind LOCK_REQUEST");
        l->request_phase = kind;
        return;
    case PCOMP_EVENT_LOCK_RELEASE:
        release(laws, l, process, lock, e);
        return;
    default:
        hold(laws, l->request_phase && l->request == lock, e, "not behind LOCK_REQUEST or LOCK_WAIT");
        l->request_phase = 0;
        if (kind == PCOMP_EVENT_LOCK_ACQUIRED)
            acquire(laws, l, process, lock, e);
    }
}

static void condition_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                            const struct pcomp_event_long *e)
{
    uint64_t name = e->what & PCOMP_EVENT_VALUE;
    struct object *c = object_of(laws, CLASS_CONDITION, name, 0, process);
    switch (kind) {
    case PCOMP_EVENT_COND_WAIT:
        hold(laws, !l->condition, e, "inside another wait");
        l->condition = name;
        l->mutex = e->a;
        l->wait_time = e->time;
        release(laws, l, process, e->a, e);
        break;
    case PCOMP_EVENT_COND_WOKEN:
        hold(laws, l->condition == name && l->mutex == e->a, e, "not behind its COND_WAIT");
        laws->wakes++;
        laws->spurious_wakes += !(e->b || c->signals_open || c->signalled_at >= l->wait_time);
        l->condition = 0;
        acquire(laws, l, process, e->a, e);
        break;
    default:
        c->signals_open++;
        l->signals = c;
    }
}

static void advance_event(struct sync_laws *laws, struct location *l, int32_t process, uint32_t kind,
                          const struct pcomp_event_long *e)
{
    uint64_t name = e->what & PCOMP_EVENT_VALUE;
    struct object *o = object_of(laws, CLASS_ADVANCED, name, e->a, process);
    switch (kind) {
    case PCOMP_EVENT_ADVANCE:
        o->advanced++;
        break;
    case PCOMP_EVENT_AWAIT_BEGIN:
        l->awaited = name;
        l->awaited_index = e->a;
        break;
    default:
        hold(laws, l->awaited == name && l->awaited_index == e->a, e, "without its AWAIT_BEGIN");
        hold(laws, e->b || o->advanced, e, "index %" PRIu64 " before it was advanced to", e->a);
        l->awaited = 0;
    }
}

void sync_laws_event(struct sync_laws *laws, uint32_t location, int32_t process, const struct pcomp_event_long *e)
{
    struct location *l = &laws->locations[location];
    uint32_t kind = (uint32_t)(e->what >> 56);
    laws->current = location;
    l->events++;
    bool own_work = kind == PCOMP_EVENT_FLUSH_BEGIN || kind == PCOMP_EVENT_FLUSH_END;
    hold(laws, !l->ended || kind == PCOMP_EVENT_START || own_work, e, "after the END of its thread");
    if (l->signals) { /* what was announced has happened by now */
        l->signals->signals_open--;
        l->signals->signalled_at = e->time;
        l->signals = NULL;
    }
    if (kind >= PCOMP_EVENT_CREATE && kind <= PCOMP_EVENT_JOIN_END)
        thread_event(laws, l, process, kind, e);
    else if (kind == PCOMP_EVENT_BARRIER_ENTER || kind == PCOMP_EVENT_BARRIER_EXIT)
        barrier_event(laws, l, process, kind, e);
    else if ((kind >= PCOMP_EVENT_SEM_V && kind <= PCOMP_EVENT_SEM_FAILED) || kind == PCOMP_EVENT_SEM_INIT)
        semaphore_event(laws, l, process, kind, e);
    else if (kind >= PCOMP_EVENT_LOCK_REQUEST && kind <= PCOMP_EVENT_LOCK_RELEASE)
        lock_event(laws, l, process, kind, e);
    else if ((kind >= PCOMP_EVENT_COND_SIGNAL && kind <= PCOMP_EVENT_COND_BROADCAST) || kind == PCOMP_EVENT_COND_WAIT ||
             kind == PCOMP_EVENT_COND_WOKEN)
        condition_event(laws, l, process, kind, e);
    else if (kind >= PCOMP_EVENT_ADVANCE && kind <= PCOMP_EVENT_AWAIT_END)
        advance_event(laws, l, process, kind, e);
}
