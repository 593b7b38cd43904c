/* The replay of events that make no sense together: it ends, hands out every block once and in order, never lets time
 * step back, and says what was wrong. Entry of libFuzzer (target fuzz_replay) and of fuzz_replay_regression.
 *
 * An input is options (4 bytes), then events of 4 bytes: which location and how much later than the last; the kind;
 * value and a; b.
 * So nearly every input is a trace whose objects, tokens, ranks and communicators meet. */
#include "compensation/replay/replay.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_replay: %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { LOCATIONS = 4, EVENTS = 2000, ROOM = 32 * EVENTS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kinds that take part in something, so that they are met often. */
static const uint8_t kinds[] = {
    PCOMP_EVENT_ENTER,
    PCOMP_EVENT_EXIT,
    PCOMP_EVENT_FLUSH_BEGIN,
    PCOMP_EVENT_FLUSH_END,
    PCOMP_EVENT_LOST,
    PCOMP_EVENT_UNWIND,
    PCOMP_EVENT_EXTERNAL_BEGIN,
    PCOMP_EVENT_EXTERNAL_END,
    PCOMP_EVENT_CREATE,
    PCOMP_EVENT_START,
    PCOMP_EVENT_END,
    PCOMP_EVENT_JOIN_BEGIN,
    PCOMP_EVENT_JOIN_END,
    PCOMP_EVENT_BARRIER_ENTER,
    PCOMP_EVENT_BARRIER_EXIT,
    PCOMP_EVENT_SEM_INIT,
    PCOMP_EVENT_SEM_V,
    PCOMP_EVENT_SEM_REQUEST,
    PCOMP_EVENT_SEM_WAIT,
    PCOMP_EVENT_SEM_PASSED,
    PCOMP_EVENT_SEM_TAKEN,
    PCOMP_EVENT_SEM_FAILED,
    PCOMP_EVENT_LOCK_REQUEST,
    PCOMP_EVENT_LOCK_WAIT,
    PCOMP_EVENT_LOCK_ACQUIRED,
    PCOMP_EVENT_LOCK_FAILED,
    PCOMP_EVENT_LOCK_RELEASE,
    PCOMP_EVENT_COND_SIGNAL,
    PCOMP_EVENT_COND_BROADCAST,
    PCOMP_EVENT_COND_WAIT,
    PCOMP_EVENT_COND_WOKEN,
    PCOMP_EVENT_WAIT_ENTER,
    PCOMP_EVENT_WAIT_EXIT,
    PCOMP_EVENT_SUPPRESSED,
    PCOMP_EVENT_UNRECORDED,
    PCOMP_EVENT_PREEMPTED,
    PCOMP_EVENT_ADVANCE,
    PCOMP_EVENT_AWAIT_BEGIN,
    PCOMP_EVENT_AWAIT_END,
    PCOMP_EVENT_STREAM_WRITE,
    PCOMP_EVENT_STREAM_WRITTEN,
    PCOMP_EVENT_STREAM_READ,
    PCOMP_EVENT_STREAM_DONE,
    PCOMP_EVENT_SEND_POST,
    PCOMP_EVENT_SEND_POST_SYNC,
    PCOMP_EVENT_SEND_POST_BUFFER,
    PCOMP_EVENT_SEND_POST_READY,
    PCOMP_EVENT_SEND_DONE,
    PCOMP_EVENT_RECV_POST,
    PCOMP_EVENT_RECV_DONE,
    PCOMP_EVENT_PROBE_ENTER,
    PCOMP_EVENT_PROBE_EXIT,
    PCOMP_EVENT_REQUEST_GONE,
    PCOMP_EVENT_COLLECTIVE_ENTER,
    PCOMP_EVENT_COLLECTIVE_EXIT,
    0,
};

struct track {
    uint64_t records[ROOM / 8];
    size_t size, given, taken; /* bytes: in all, handed out, done */
    size_t under_way;          /* of the block that is out */
    uint64_t last;             /* approximated, of the last record that is done */
    uint64_t events;
};

struct input {
    struct track tracks[LOCATIONS];
    size_t block; /* records of a block */
    unsigned violations_max, violations;
    uint64_t waits;
};

static struct input in;

static size_t next_block(void *context, uint32_t location, void **block)
{
    struct track *t = &((struct input *)context)->tracks[location];
    REQUIRE(!t->under_way);
    *block = (char *)t->records + t->given;
    for (size_t i = 0; i < in.block && t->given < t->size; i++) {
        size_t size = pcomp_event_size((struct pcomp_event *)((char *)t->records + t->given));
        t->given += size;
        t->under_way += size;
    }
    return t->under_way;
}

static void block_done(void *context, uint32_t location, void *block, size_t size)
{
    struct track *t = &((struct input *)context)->tracks[location];
    REQUIRE(size && size == t->under_way && block == (char *)t->records + t->taken);
    for (size_t at = 0; at < size; at += pcomp_event_size((struct pcomp_event *)((char *)block + at))) {
        const struct pcomp_event *e = (struct pcomp_event *)((char *)block + at);
        REQUIRE(e->time >= t->last);
        t->last = e->time;
    }
    t->taken += size;
    t->under_way = 0;
}

static void wait_ended(void *context, const struct replay_wait *wait)
{
    struct input *input = context;
    REQUIRE(wait->location < LOCATIONS && wait->kind < REPLAY_WAIT_KINDS && replay_wait_name(wait->kind));
    REQUIRE(wait->measured >= 0 && wait->approximated >= 0);
    REQUIRE(wait->event < input->tracks[wait->location].events);
    REQUIRE(wait->cause == UINT32_MAX || wait->cause_event < input->tracks[wait->cause].events);
    input->waits++;
}

static bool violation_found(void *context, const struct replay_violation *violation)
{
    struct input *input = context;
    REQUIRE(violation->rule && *violation->rule);
    for (int i = 0; i < 2; i++)
        REQUIRE(violation->location[i] == UINT32_MAX ||
                violation->event[i] < input->tracks[violation->location[i]].events);
    return ++input->violations < input->violations_max;
}

static void add_event(struct track *t, uint64_t *time, const uint8_t *bytes)
{
    uint8_t id = kinds[bytes[1] % sizeof kinds];
    id = id ? id : bytes[1] ? bytes[1] : 1; /* any kind, also one that does not exist */
    *time += bytes[0] >> 2;
    struct pcomp_event_long e = {*time, (uint64_t)id << 56 | (bytes[2] & 3), 0, 0};
    uint64_t small = bytes[2] >> 2, other = bytes[3];
    if (id >= PCOMP_EVENT_SEND_POST && id < PCOMP_EVENT_COLLECTIVE_ENTER) {
        e.a = (small & 7) == 7 ? (uint64_t)PCOMP_EVENT_ANY << 32 : (small & 3) << 32;
        e.a |= other & 0x20 ? PCOMP_EVENT_ANY : other & 1;
        e.b = (other >> 1 & 3) << 24 | (other >> 3 & 1);
        e.what += id == PCOMP_EVENT_REQUEST_GONE ? PCOMP_EVENT_SEND_POST : other << 9;
    } else if (id >= PCOMP_EVENT_COLLECTIVE_ENTER) {
        e.a = (small & 1) << 32 | (small >> 1 & 3);
        e.b = (other & 7) << 16 | other >> 3;
    } else {
        e.a = small & 3;
        e.b = other & 1;
        e.what |= other & 0x80 && !(other & 0x70) ? PCOMP_EVENT_SHARED : 0;
    }
    memcpy((char *)t->records + t->size, &e, pcomp_event_size((struct pcomp_event *)&e));
    t->size += pcomp_event_size((struct pcomp_event *)&e);
    t->events++;
}

static void check_result(enum replay_end end, const struct replay_location_result *results,
                         const struct replay_result *result)
{
    uint64_t events = 0;
    if (end == REPLAY_BAD_INPUT) {
        REQUIRE(result->error && *result->error);
        REQUIRE(result->error_location == UINT32_MAX || result->error_location < LOCATIONS);
    }
    REQUIRE(end != REPLAY_STOPPED || in.violations == in.violations_max);
    if (end != REPLAY_DONE)
        return;
    for (unsigned i = 0; i < LOCATIONS; i++) {
        const struct track *t = &in.tracks[i];
        REQUIRE(t->taken == t->size && !t->under_way);
        REQUIRE(results[i].events == t->events && results[i].last >= results[i].first);
        events += t->events;
    }
    REQUIRE(result->events == events && result->violations == in.violations);
    REQUIRE(result->direct_perturbation >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int64_t alpha[PCOMP_EVENT_KINDS];
    if (size < 4)
        return 0;
    memset(&in, 0, sizeof in);
    in.block = 1 + (data[1] & 31);
    in.violations_max = data[1] & 32 ? 1 : 1000000;
    struct replay_options options = {.model = data[0] & 1 ? REPLAY_EVENT : REPLAY_TIME,
                                     .barrier = (enum replay_barrier)(data[0] >> 1 & 1),
                                     .semaphore = (enum replay_semaphore)(data[0] >> 7),
                                     .receive = (enum replay_receive)((data[0] >> 2 & 3) % 3),
                                     .comm = (enum replay_comm)((data[0] >> 4 & 3) % 3)};
    if (data[0] & 64)
        options.messages = (struct comm_model){.eager = {.start = 3, .per_byte = 0.5},
                                               .rendezvous = {.start = 6, .per_byte = 0.25},
                                               .threshold = 64,
                                               .copies = 1,
                                               .has_protocols = data[3] >> 4 & 1,
                                               .copy = {{64, 4}}};
    for (unsigned i = 0; i < PCOMP_EVENT_KINDS; i++)
        alpha[i] = (int64_t)(data[2] & 127) * 300; /* up to 37 ticks: above and below what lies between events */
    struct replay_location locations[LOCATIONS];
    struct replay_location_result results[LOCATIONS];
    struct replay_result result = {0};
    bool ranks = data[3] & 1;
    uint64_t times[LOCATIONS] = {0}, start = data[3] & 4 ? UINT64_MAX / 2 : 1;
    bool one_clock = !(data[3] & 8); /* else an event's time says nothing about another location's */
    for (unsigned i = 0; i < LOCATIONS; i++) {
        locations[i] =
            (struct replay_location){.process = ranks ? i : i * (data[3] >> 1 & 1),
                                     .rank = ranks ? (int32_t)i : -1,
                                     .alpha = alpha,
                                     .protocols = {.eager_max = data[2] & 63, .rendezvous_min = data[2] >> 2}};
        times[i] = start;
    }
    for (size_t at = 4, count = 0; at + 4 <= size && count < EVENTS; at += 4, count++)
        add_event(&in.tracks[data[at] & 3], &times[one_clock ? 0 : data[at] & 3], data + at);
    struct replay_io io = {
        .context = &in, .next = next_block, .done = block_done, .wait = wait_ended, .violation = violation_found};
    enum replay_end end = replay_run(locations, LOCATIONS, &options, &io, results, &result);
    check_result(end, results, &result);
    return 0;
}

/* --- Seeds: executions that make sense, so that changes of them nearly do
 * --------------------------------------------- */

struct script {
    uint8_t location, kind, value, other; /* kind: of the events, to be looked up */
};

static uint8_t index_of(uint8_t kind)
{
    uint8_t i = 0;
    while (kinds[i] != kind)
        i++;
    return i;
}

static const struct script barrier[] = {
    {0, PCOMP_EVENT_CREATE, 1, 0},        {1, PCOMP_EVENT_START, 1, 0},        {0, PCOMP_EVENT_BARRIER_ENTER, 9, 0},
    {1, PCOMP_EVENT_BARRIER_ENTER, 9, 0}, {0, PCOMP_EVENT_BARRIER_EXIT, 1, 0}, {1, PCOMP_EVENT_BARRIER_EXIT, 1, 0},
    {0, PCOMP_EVENT_JOIN_BEGIN, 1, 0},    {1, PCOMP_EVENT_END, 1, 0},          {0, PCOMP_EVENT_JOIN_END, 1, 0}};
static const struct script semaphore[] = {
    {0, PCOMP_EVENT_SEM_INIT, 1, 0},    {1, PCOMP_EVENT_SEM_REQUEST, 1, 0}, {1, PCOMP_EVENT_SEM_WAIT, 1, 0},
    {0, PCOMP_EVENT_SEM_V, 1, 0},       {1, PCOMP_EVENT_SEM_TAKEN, 1, 0},   {0, PCOMP_EVENT_SEM_V, 1, 0},
    {2, PCOMP_EVENT_SEM_REQUEST, 1, 0}, {2, PCOMP_EVENT_SEM_PASSED, 1, 0},  {2, PCOMP_EVENT_SEM_TAKEN, 1, 0}};
static const struct script lock[] = {{0, PCOMP_EVENT_LOCK_REQUEST, 2, 0}, {0, PCOMP_EVENT_LOCK_ACQUIRED, 2, 0},
                                     {1, PCOMP_EVENT_LOCK_REQUEST, 2, 0}, {1, PCOMP_EVENT_LOCK_WAIT, 2, 0},
                                     {0, PCOMP_EVENT_COND_WAIT, 9, 0},    {1, PCOMP_EVENT_LOCK_ACQUIRED, 2, 0},
                                     {1, PCOMP_EVENT_COND_SIGNAL, 1, 0},  {1, PCOMP_EVENT_LOCK_RELEASE, 2, 0},
                                     {0, PCOMP_EVENT_COND_WOKEN, 9, 0},   {0, PCOMP_EVENT_LOCK_RELEASE, 2, 0}};
static const struct script pipeline[] = {{1, PCOMP_EVENT_AWAIT_BEGIN, 5, 0}, {0, PCOMP_EVENT_ADVANCE, 5, 0},
                                         {1, PCOMP_EVENT_AWAIT_END, 5, 0},   {1, PCOMP_EVENT_ADVANCE, 9, 0},
                                         {2, PCOMP_EVENT_AWAIT_BEGIN, 9, 0}, {2, PCOMP_EVENT_AWAIT_END, 9, 0}};
static const struct script messages[] = {{1, PCOMP_EVENT_RECV_POST, 0, 0},  {0, PCOMP_EVENT_SEND_POST, 4, 0},
                                         {0, PCOMP_EVENT_SEND_DONE, 4, 0},  {1, PCOMP_EVENT_RECV_DONE, 0, 0},
                                         {0, PCOMP_EVENT_SEND_POST, 4, 64}, {1, PCOMP_EVENT_RECV_POST, 28, 32},
                                         {1, PCOMP_EVENT_RECV_DONE, 0, 64}, {0, PCOMP_EVENT_SEND_DONE, 4, 64}};
static const struct script requests[] = {{1, PCOMP_EVENT_RECV_POST, 0, 2},  {0, PCOMP_EVENT_SEND_POST, 4, 2},
                                         {1, PCOMP_EVENT_WAIT_ENTER, 0, 0}, {1, PCOMP_EVENT_RECV_DONE, 0, 2},
                                         {1, PCOMP_EVENT_WAIT_EXIT, 0, 0},  {0, PCOMP_EVENT_WAIT_ENTER, 0, 0},
                                         {0, PCOMP_EVENT_SEND_DONE, 4, 2},  {0, PCOMP_EVENT_WAIT_EXIT, 0, 0}};
static const struct script together[] = {
    {0, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 2 << 3 | 4}, {1, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 2 << 3 | 4},
    {2, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 2 << 3 | 4}, {3, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 2 << 3 | 4},
    {0, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 2 << 3 | 4},  {1, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 2 << 3 | 4},
    {2, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 2 << 3 | 4},  {3, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 2 << 3 | 4}};
static const struct script single[] = {{0, PCOMP_EVENT_ENTER, 1, 0},      {0, PCOMP_EVENT_FLUSH_BEGIN, 0, 0},
                                       {0, PCOMP_EVENT_FLUSH_END, 0, 0},  {0, PCOMP_EVENT_LOST, 3, 0},
                                       {0, PCOMP_EVENT_UNWIND, 1, 0},     {0, PCOMP_EVENT_EXIT, 1, 0},
                                       {0, PCOMP_EVENT_SUPPRESSED, 9, 1}, {0, PCOMP_EVENT_UNRECORDED, 9, 30}};

uint8_t *fuzz_seed(unsigned i, size_t *size)
{
#define SCRIPT(name) name, sizeof name / sizeof *name
    static const struct {
        const struct script *events;
        size_t count;
        uint8_t options[4];
    } seeds[FUZZ_SEEDS] = {
        {SCRIPT(barrier), {1, 3, 10, 0}},     {SCRIPT(semaphore), {1, 0, 10, 0}},
        {SCRIPT(lock), {1, 7, 10, 0}},        {SCRIPT(pipeline), {1, 1, 20, 0}},
        {SCRIPT(messages), {0x41, 2, 10, 1}}, {SCRIPT(requests), {0x51, 2, 10, 1}},
        {SCRIPT(together), {0x61, 2, 10, 1}}, {SCRIPT(single), {0, 31, 5, 0}},
    };
    enum { ROUNDS = 3 };
    *size = 4 + ROUNDS * 4 * seeds[i].count;
    uint8_t *data = malloc(*size), *to = data + 4;
    if (!data)
        return NULL;
    memcpy(data, seeds[i].options, 4);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < seeds[i].count; k++, to += 4) {
            const struct script *s = &seeds[i].events[k];
            to[0] = (uint8_t)(20 << 2 | s->location);
            to[1] = index_of(s->kind);
            to[2] = s->value;
            to[3] = s->other;
        }
    return data;
}
