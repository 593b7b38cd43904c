#include "reporters/replay/drive/replay_crew.h"

#include "profiler/format/trace_format.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define MEMORY      (64u << 20) /* bytes of all blocks together */
#define BLOCK_LEAST (8u << 10)
#define BLOCK_MOST  (256u << 10) /* what is read is still in the cache when it is rewritten */
/* Locations that run in step are through with their blocks at about the same time. */
enum { WAITING_MOST = 64, AHEAD_MOST = 64 };

enum duty { FINISH, READ, DUTIES };

struct lane {                          /* of a location */
    struct replay_block *ahead;        /* read, and not asked for so far */
    struct replay_block *first, *last; /* to be finished */
    uint32_t next[DUTIES];             /* in the line of a duty: location + 1 */
    bool in_line[DUTIES];
    bool under_way[DUTIES]; /* somebody is at it */
    bool ended;             /* read to its end */
};

struct replay_crew {
    struct replay_duties duties;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t work;   /* there may be something to do for a thread */
    pthread_cond_t done;   /* what the caller waits for may be so */
    struct {
        uint32_t first, last; /* location + 1; 0 none */
    } lines[DUTIES];          /* of locations for which there is something to do, longest waiting first */
    struct replay_block_pool pool;
    uint32_t ahead;   /* blocks read ahead, or about to be */
    uint32_t waiting; /* blocks put and not finished */
    bool ending;
    pthread_t *threads;
    unsigned thread_count;
    uint32_t location_count;
    struct lane lanes[];
};

unsigned replay_crew_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* --- Lines: all with the mutex --------------------------------------------------------------------------------------
 */

static uint32_t number_of(const struct replay_crew *crew, const struct lane *lane)
{
    return (uint32_t)(lane - crew->lanes);
}

static void line_up(struct replay_crew *crew, struct lane *lane, enum duty duty)
{
    uint32_t link = number_of(crew, lane) + 1, last = crew->lines[duty].last;
    if (lane->in_line[duty])
        return;
    lane->in_line[duty] = true;
    lane->next[duty] = 0;
    if (last)
        crew->lanes[last - 1].next[duty] = link;
    else
        crew->lines[duty].first = link;
    crew->lines[duty].last = link;
    pthread_cond_signal(&crew->work);
}

static struct lane *take_first(struct replay_crew *crew, enum duty duty)
{
    uint32_t first = crew->lines[duty].first;
    if (!first)
        return NULL;
    struct lane *lane = &crew->lanes[first - 1];
    crew->lines[duty].first = lane->next[duty];
    if (!lane->next[duty])
        crew->lines[duty].last = 0;
    lane->in_line[duty] = false;
    return lane;
}

/* --- Duties: all with the mutex, which is free meanwhile ------------------------------------------------------------
 */

static void read_block(struct replay_crew *crew, struct lane *lane, struct replay_block *block)
{
    lane->under_way[READ] = true;
    pthread_mutex_unlock(&crew->mutex);
    crew->duties.read(crew->duties.context, block, crew->pool.records);
    pthread_mutex_lock(&crew->mutex);
    lane->under_way[READ] = false;
    lane->ended = block->size == 0;
}

/* False: nothing is to be read ahead. */
static bool read_one(struct replay_crew *crew)
{
    struct lane *lane = NULL;
    struct replay_block *block = NULL;
    while (crew->ahead < AHEAD_MOST && (lane = take_first(crew, READ)) &&
           (lane->ended || lane->ahead || lane->under_way[READ]))
        lane = NULL;
    if (!lane || !(block = replay_block_take(&crew->pool, number_of(crew, lane))))
        return false;
    crew->ahead++;
    read_block(crew, lane, block);
    lane->ahead = block;
    pthread_cond_signal(&crew->done);
    return true;
}

/* False: nothing can be finished now. */
static bool finish_one(struct replay_crew *crew)
{
    struct lane *lane = take_first(crew, FINISH);
    if (!lane)
        return false;
    struct replay_block *block = lane->first;
    lane->first = block->next;
    lane->under_way[FINISH] = true;
    pthread_mutex_unlock(&crew->mutex);
    crew->duties.finish(crew->duties.context, block);
    pthread_mutex_lock(&crew->mutex);
    lane->under_way[FINISH] = false;
    replay_block_give_back(&crew->pool, block);
    crew->waiting--;
    if (lane->first)
        line_up(crew, lane, FINISH);
    pthread_cond_signal(&crew->done);
    return true;
}

/* What the caller has replayed comes first: it holds memory. */
static void *work(void *context)
{
    struct replay_crew *crew = context;
    pthread_mutex_lock(&crew->mutex);
    for (;;) {
        if (finish_one(crew) || (!crew->ending && read_one(crew)))
            continue;
        if (crew->ending)
            break;
        pthread_cond_wait(&crew->work, &crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

/* The caller takes part until no more than `most` blocks wait. */
static void finish_down_to(struct replay_crew *crew, uint32_t most)
{
    while (crew->waiting > most)
        if (!finish_one(crew))
            pthread_cond_wait(&crew->done, &crew->mutex);
}

/* --- For the caller -------------------------------------------------------------------------------------------------
 */

/* The same for any number of threads, so that what is written is the same to the byte. */
static size_t block_room(uint32_t own)
{
    size_t segment = MEMORY / 2 / (own + (size_t)WAITING_MOST + AHEAD_MOST) / BLOCK_LEAST * BLOCK_LEAST;
    segment = segment < BLOCK_LEAST ? BLOCK_LEAST : segment > BLOCK_MOST ? BLOCK_MOST : segment;
    return segment - sizeof(struct pcomp_trace_segment);
}

struct replay_crew *replay_crew_begin(const struct replay_duties *duties, uint32_t locations, uint32_t own,
                                      unsigned threads)
{
    struct replay_crew *crew = calloc(1, sizeof *crew + locations * sizeof *crew->lanes);
    if (!crew)
        return NULL;
    uint64_t useful = 2 * (uint64_t)own; /* reading and finishing each */
    unsigned wanted = threads - 1 < useful ? threads - 1 : (unsigned)useful;
    crew->duties = *duties;
    crew->location_count = locations;
    crew->pool.records = block_room(own);
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
    crew->threads = calloc(wanted + (size_t)1, sizeof *crew->threads);
    while (crew->threads && crew->thread_count < wanted &&
           pthread_create(&crew->threads[crew->thread_count], NULL, work, crew) == 0)
        crew->thread_count++;
    return crew;
}

struct replay_block *replay_crew_next(struct replay_crew *crew, uint32_t location)
{
    struct lane *lane = &crew->lanes[location];
    pthread_mutex_lock(&crew->mutex);
    while (lane->under_way[READ])
        pthread_cond_wait(&crew->done, &crew->mutex);
    struct replay_block *block = lane->ahead;
    if (block) {
        lane->ahead = NULL;
        crew->ahead--;
    } else if ((block = replay_block_take(&crew->pool, location))) {
        read_block(crew, lane, block);
    }
    if (block && !lane->ended && crew->thread_count)
        line_up(crew, lane, READ);
    pthread_mutex_unlock(&crew->mutex);
    return block;
}

void replay_crew_put(struct replay_crew *crew, struct replay_block *block)
{
    struct lane *lane = &crew->lanes[block->location];
    block->next = NULL;
    pthread_mutex_lock(&crew->mutex);
    if (lane->first)
        lane->last->next = block;
    else
        lane->first = block;
    lane->last = block;
    crew->waiting++;
    if (!lane->under_way[FINISH])
        line_up(crew, lane, FINISH);
    finish_down_to(crew, crew->thread_count ? WAITING_MOST : 0);
    pthread_mutex_unlock(&crew->mutex);
}

void replay_crew_drop(struct replay_crew *crew, struct replay_block *block)
{
    pthread_mutex_lock(&crew->mutex);
    replay_block_give_back(&crew->pool, block);
    pthread_mutex_unlock(&crew->mutex);
}

void replay_crew_end(struct replay_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->ending = true;
    pthread_cond_broadcast(&crew->work);
    finish_down_to(crew, 0);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 0; i < crew->thread_count; i++)
        pthread_join(crew->threads[i], NULL);
    for (uint32_t i = 0; i < crew->location_count; i++)
        replay_block_give_back(&crew->pool, crew->lanes[i].ahead);
    replay_block_pool_free(&crew->pool);
    pthread_cond_destroy(&crew->work);
    pthread_cond_destroy(&crew->done);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->threads);
    free(crew);
}
