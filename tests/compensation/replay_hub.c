#include "tests/compensation/replay_hub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct box {
    struct replay_update *items;
    size_t count, room, taken;
};

struct replay_hub {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t parts, running, waiting;
    struct box *in, *out; /* by part */
};

static void *never_null(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void put(struct box *box, const struct replay_update *items, size_t count)
{
    if (box->count + count > box->room) {
        box->room = 2 * (box->count + count);
        box->items = never_null(realloc(box->items, box->room * sizeof *box->items));
    }
    if (count)
        memcpy(box->items + box->count, items, count * sizeof *items);
    box->count += count;
}

struct replay_hub *replay_hub_new(uint32_t parts)
{
    struct replay_hub *hub = never_null(calloc(1, sizeof *hub));

    pthread_mutex_init(&hub->mutex, NULL);
    pthread_cond_init(&hub->changed, NULL);
    hub->parts = hub->running = parts;
    hub->in = never_null(calloc(parts, sizeof *hub->in));
    hub->out = never_null(calloc(parts, sizeof *hub->out));
    return hub;
}

void replay_hub_free(struct replay_hub *hub)
{
    if (!hub)
        return;
    for (uint32_t k = 0; k < hub->parts; k++) {
        free(hub->in[k].items);
        free(hub->out[k].items);
    }
    free(hub->in);
    free(hub->out);
    pthread_mutex_destroy(&hub->mutex);
    pthread_cond_destroy(&hub->changed);
    free(hub);
}

void replay_hub_publish(struct replay_hub *hub, uint32_t part, const struct replay_update *update)
{
    put(&hub->out[part], update, 1);
}

static void flush(struct replay_hub *hub, uint32_t part)
{
    struct box *out = &hub->out[part];

    for (uint32_t k = 0; k < hub->parts; k++)
        if (k != part)
            put(&hub->in[k], out->items, out->count);
    if (out->count)
        pthread_cond_broadcast(&hub->changed);
    out->count = 0;
}

void replay_hub_flush(struct replay_hub *hub, uint32_t part)
{
    pthread_mutex_lock(&hub->mutex);
    flush(hub, part);
    pthread_mutex_unlock(&hub->mutex);
}

/* Whether anything is on its way to anybody. */
static bool is_silent(const struct replay_hub *hub)
{
    bool silent = true;

    for (uint32_t k = 0; k < hub->parts; k++)
        silent = silent && hub->in[k].taken == hub->in[k].count;
    return silent;
}

bool replay_hub_receive(struct replay_hub *hub, uint32_t part, struct replay_update *update)
{
    struct box *in = &hub->in[part];
    bool there;

    pthread_mutex_lock(&hub->mutex);
    flush(hub, part);
    hub->waiting++;
    while (in->taken == in->count && !(hub->waiting == hub->running && is_silent(hub)))
        pthread_cond_wait(&hub->changed, &hub->mutex);
    there = in->taken < in->count;
    if (there) {
        *update = in->items[in->taken++];
        hub->waiting--;
    } else {
        pthread_cond_broadcast(&hub->changed);
    }
    pthread_mutex_unlock(&hub->mutex);
    return there;
}

void replay_hub_leave(struct replay_hub *hub, uint32_t part)
{
    pthread_mutex_lock(&hub->mutex);
    flush(hub, part);
    hub->running--;
    for (uint32_t k = 0; k < hub->parts; k++) /* nobody takes what is left */
        if (k == part)
            hub->in[k].taken = hub->in[k].count = 0;
    pthread_cond_broadcast(&hub->changed);
    pthread_mutex_unlock(&hub->mutex);
}
