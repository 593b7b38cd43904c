#include "compensation/replay/engine/replay_objects.h"

static uint32_t owner(const struct location_state *p, uint64_t name)
{
    return name & PCOMP_EVENT_SHARED ? REPLAY_NOBODY : p->process;
}

void *replay_object(struct replay *r, enum replay_family family, const struct location_state *p, uint64_t name,
                    size_t size)
{
    void *object = replay_map_get(&r->objects[family], owner(p, name), name);
    if (object)
        return object;
    object = replay_allocate(&r->memory, size);
    if (object && !replay_map_put(&r->memory, &r->objects[family], owner(p, name), name, object))
        return NULL;
    return object;
}

void replay_object_remove(struct replay *r, enum replay_family family, const struct location_state *p, uint64_t name)
{
    void *object = replay_map_get(&r->objects[family], owner(p, name), name);
    replay_map_remove(&r->objects[family], owner(p, name), name);
    replay_release(&r->memory, object);
}

bool replay_queue_push(struct replay *r, struct replay_queue *queue, const struct replay_stamp *stamp)
{
    if (queue->count == queue->room) {
        uint32_t before = queue->room;
        void *stamps = queue->stamps;
        if (!replay_grow(&r->memory, &stamps, &queue->room, 4, sizeof *stamp))
            return false;
        queue->stamps = stamps;
        /* What had wrapped round goes behind the rest. */
        uint32_t begin = before ? queue->first & (before - 1) : 0;
        for (uint32_t i = 0; i < begin; i++)
            queue->stamps[before + i] = queue->stamps[i];
        queue->first = begin;
    }
    queue->stamps[(queue->first + queue->count++) & (queue->room - 1)] = *stamp;
    return true;
}
