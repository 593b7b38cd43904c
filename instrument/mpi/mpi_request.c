#include "instrument/mpi/mpi_request.h"

#include "instrument/mpi/mpi_pages.h"
#include "instrument/trace_api.h"
#include "profiler/base/spin.h"

#include <pthread.h>
#include <string.h>

#define BUCKETS        16384u
#define ENTRIES_ATONCE 512

struct entry {
    uint64_t key;
    pthread_t poster;
    struct entry *next;
    struct message message;
    bool persistent, active, cancelled;
    bool goes_on; /* the next entry with this key is of the same request */
};

struct bucket {
    struct entry *first, *last;
};

static struct bucket *buckets; /* BUCKETS of them */
static struct entry *unused;
static struct spin locked;

uint64_t request_key(MPI_Request request)
{
    uint64_t key = 0;
    memcpy(&key, &request, sizeof request);
    return key;
}

uint64_t request_message_key(MPI_Message message)
{
    uint64_t key = 0;
    memcpy(&key, &message, sizeof message);
    return ~key; /* no handle of a request: those have few bits, or are addresses */
}

/* --- The table, locked ------------------------------------------------------------------------------------------- */

static struct bucket *bucket_of(uint64_t key)
{
    if (!buckets)
        buckets = pages_new(BUCKETS * sizeof *buckets);
    return buckets ? &buckets[key * 0x9e3779b97f4a7c15u >> 50] : NULL;
}

static struct entry *entry_new(void)
{
    if (!unused) {
        struct entry *entries = pages_new(ENTRIES_ATONCE * sizeof *entries);
        for (int i = 0; entries && i < ENTRIES_ATONCE; i++) {
            entries[i].next = unused;
            unused = &entries[i];
        }
    }
    struct entry *entry = unused;
    if (entry)
        unused = entry->next;
    return entry;
}

/* The oldest with the key that this thread has posted, or the oldest; and what is before it. */
static struct entry *entry_find(uint64_t key, struct bucket **bucket, struct entry **before)
{
    struct entry *found = NULL, *last = NULL;
    pthread_t self = pthread_self();
    *bucket = bucket_of(key);
    for (struct entry *entry = *bucket ? (*bucket)->first : NULL; entry; last = entry, entry = entry->next) {
        bool own = entry->key == key && pthread_equal(entry->poster, self);
        if (own || (entry->key == key && !found)) {
            found = entry;
            *before = last;
        }
        if (own)
            break;
    }
    return found;
}

static void entry_remove(struct bucket *bucket, struct entry *before, struct entry *entry)
{
    *(before ? &before->next : &bucket->first) = entry->next;
    if (bucket->last == entry)
        bucket->last = before;
    entry->next = unused;
    unused = entry;
}

/* NULL: no memory. */
static struct entry *entry_add(uint64_t key, const struct message *message, bool persistent)
{
    struct bucket *bucket = bucket_of(key);
    struct entry *entry = bucket ? entry_new() : NULL;
    if (!entry)
        return NULL;
    *entry = (struct entry){
        .key = key, .poster = pthread_self(), .message = *message, .persistent = persistent, .active = !persistent};
    *(bucket->last ? &bucket->last->next : &bucket->first) = entry;
    bucket->last = entry;
    return entry;
}

/* --- From outside ------------------------------------------------------------------------------------------------ */

static bool request_insert(uint64_t key, const struct message *message, bool persistent)
{
    if (!message->comm)
        return true;
    comm_hold(message->comm);
    spin_lock(&locked);
    bool added = entry_add(key, message, persistent);
    spin_unlock(&locked);
    if (!added)
        comm_release(message->comm);
    return added;
}

void request_add(uint64_t key, const struct message *message)
{
    if (!request_insert(key, message, false))
        message_gone(message);
}

void request_add_pair(uint64_t key, const struct message *first, const struct message *second)
{
    if (!first->comm || !second->comm) { /* one of them has no partner */
        request_add(key, first->comm ? first : second);
        return;
    }
    comm_hold(first->comm);
    comm_hold(second->comm);
    spin_lock(&locked);
    struct entry *one = entry_add(key, first, false), *other = entry_add(key, second, false);
    if (one)
        one->goes_on = other != NULL;
    spin_unlock(&locked);
    if (!one) {
        comm_release(first->comm);
        message_gone(first);
    }
    if (!other) {
        comm_release(second->comm);
        message_gone(second);
    }
}

void request_add_persistent(uint64_t key, const struct message *message)
{
    request_insert(key, message, true);
}

bool request_is_known(uint64_t key)
{
    struct bucket *bucket;
    struct entry *before;
    spin_lock(&locked);
    bool known = entry_find(key, &bucket, &before) != NULL;
    spin_unlock(&locked);
    return known;
}

bool request_start(uint64_t key, struct message *message)
{
    struct bucket *bucket;
    struct entry *before;
    uint64_t number = pcomp_trace_token();
    spin_lock(&locked);
    struct entry *entry = entry_find(key, &bucket, &before);
    if (entry) {
        entry->active = true;
        entry->cancelled = false;
        entry->message.number = number;
        *message = entry->message;
    }
    spin_unlock(&locked);
    return entry != NULL;
}

void request_cancel(uint64_t key)
{
    struct bucket *bucket;
    struct entry *before;
    spin_lock(&locked);
    struct entry *entry = entry_find(key, &bucket, &before);
    if (entry)
        entry->cancelled = true;
    spin_unlock(&locked);
}

static bool request_end(uint64_t key, struct request_end *end, bool forget)
{
    struct bucket *bucket;
    struct entry *before;
    bool active = false;
    struct mpi_comm *let_go = NULL;
    spin_lock(&locked);
    struct entry *entry = entry_find(key, &bucket, &before);
    if (entry) {
        *end = (struct request_end){entry->message, entry->cancelled, entry->goes_on};
        active = entry->active;
        entry->active = false;
        if (forget || !entry->persistent) {
            entry_remove(bucket, before, entry);
            let_go = active ? NULL : entry->message.comm;
        } else if (active)
            comm_hold(entry->message.comm);
    }
    spin_unlock(&locked);
    if (let_go)
        comm_release(let_go);
    return active;
}

bool request_finish(uint64_t key, struct request_end *end)
{
    return request_end(key, end, false);
}

bool request_forget(uint64_t key, struct request_end *end)
{
    return request_end(key, end, true);
}

void request_release(const struct request_end *end)
{
    comm_release(end->message.comm);
}
