/* Collectives: 2005 §3.3, 1993 §3.2. Who waits for whom decides; the n-th collective on a communicator is the same one
 * in all its locations.
 *
 *   n-to-n, barrier  all for the last: eq. (13), the last in measured order for the measured term, in approximated
 * order for the basis, less the alpha of the enter 1-to-n           each for the root, as a message from it; the root
 * for nobody n-to-1           the root for the last; the others for nobody prefix           each for the last of the
 * ranks up to its own */
#include "compensation/replay/message_time.h"

struct enter {
    struct enter *next;
    struct replay_stamp stamp;
    int32_t rank;
};

struct instance {
    struct instance *next;
    uint64_t number;
    uint32_t arrived, left, participants;
    struct replay_stamp last, root;
    struct enter *enters; /* of a prefix */
    struct replay_parked waiting;
};

struct communicator {
    struct instance *first, *end; /* in use */
    uint64_t begun;
};

struct member { /* what a location has done on a communicator */
    struct communicator *communicator;
    uint64_t entered, left;
};

static const char all_rule[] = "nobody leaves before the last has entered (2005 §3.3, eq. 13)";
static const char root_rule[] = "nobody leaves before the root has entered (2005 §3.3)";
static const char gather_rule[] = "the root does not leave before the last has entered (1993 §3.2)";
static const char prefix_rule[] = "nobody leaves before the ranks up to its own have entered (1993 §3.2)";

static uint32_t participants(const struct replay_place *p)
{
    return (uint32_t)(replay_b(p) >> 16);
}

static bool is_root(const struct replay_place *p)
{
    return p->rank == (int32_t)(uint32_t)replay_a(p);
}

static struct member *member_of(struct replay *r, const struct replay_place *p)
{
    uint64_t communicator = replay_a(p) >> 32, location = 1ull << 63 | p->index; /* no process has this number */
    struct replay_map *map = &r->objects[REPLAY_COLLECTIVES];
    struct member *member = replay_map_get(map, location, communicator);

    if (member)
        return member;
    member = replay_allocate(&r->memory, sizeof *member);
    if (!member)
        return NULL;
    member->communicator =
        replay_object(r, REPLAY_COLLECTIVES, p, PCOMP_EVENT_SHARED | communicator, sizeof *member->communicator);
    return member->communicator && replay_map_put(&r->memory, map, location, communicator, member) ? member : NULL;
}

/* The n-th collective of the communicator; begun when it is the next. NULL: it is over, or there is no memory. */
static struct instance *instance_at(struct replay *r, struct communicator *communicator, const struct replay_place *p,
                                    uint64_t number)
{
    struct instance *instance = communicator->first;

    while (instance && instance->number != number)
        instance = instance->next;
    if (instance || number != communicator->begun)
        return instance;
    instance = replay_allocate(&r->memory, sizeof *instance);
    if (!instance)
        return NULL;
    instance->number = communicator->begun++;
    instance->participants = participants(p);
    if (communicator->first)
        communicator->end->next = instance;
    else
        communicator->first = instance;
    communicator->end = instance;
    return instance;
}

/* Everybody leaves one collective before the next, so the first that was begun is over first. */
static void leave(struct replay *r, struct communicator *communicator, struct instance *instance)
{
    instance->left++;
    while (communicator->first && communicator->first->left >= communicator->first->participants) {
        struct instance *over = communicator->first;

        communicator->first = over->next;
        replay_wake(r, &over->waiting); /* ranks that do not agree how many they are */
        while (over->enters) {
            struct enter *enter = over->enters;

            over->enters = enter->next;
            replay_release(&r->memory, enter);
        }
        replay_release(&r->memory, over);
    }
}

static enum replay_step enters(struct replay *r, struct replay_place *p, struct member *member)
{
    bool over = member->entered < member->communicator->begun;
    struct instance *instance = instance_at(r, member->communicator, p, member->entered);

    if (!instance)
        return over ? replay_out_of_place(r, p, "a collective is entered that all others have left")
                    : replay_no_memory(r);
    replay_settle(r, p);
    struct replay_stamp stamp = replay_stamp_here(p);
    member->entered++;
    instance->arrived++;
    replay_stamp_merge(&instance->last, &stamp);
    if (is_root(p))
        instance->root = stamp;
    if ((replay_b(p) & 0xff) == PCOMP_COLLECTIVE_PREFIX) {
        struct enter *enter = replay_allocate(&r->memory, sizeof *enter);

        if (!enter)
            return replay_no_memory(r);
        *enter = (struct enter){instance->enters, stamp, p->rank};
        instance->enters = enter;
    }
    if (is_root(p) || instance->arrived == instance->participants)
        replay_wake(r, &instance->waiting);
    return REPLAY_SETTLED;
}

/* 1-to-n: the root's sending cannot be told from the rest, so only a receiver that came first knows how long the
 * communication took. */
static enum replay_step leave_root(struct replay *r, struct replay_place *p, const struct instance *instance)
{
    struct replay_stamp own;
    int64_t now, since;

    own = replay_ready(p, &instance->root, &now);
    since = message_since(p, &instance->root);
    struct message_transfer transfer = {
        .sent = instance->root,
        .posted = own,
        .time = message_time(r->options, replay_value(p), since, own.measured <= instance->root.measured),
        .copy = message_copy_time(r->options, replay_value(p), message_since(p, &own)),
        .kind = REPLAY_WAIT_1_TO_N,
        .rule = root_rule};
    return message_settle(r, p, &transfer);
}

static enum replay_step leave_prefix(struct replay *r, struct replay_place *p, const struct instance *instance)
{
    struct replay_stamp last = {0};

    for (const struct enter *enter = instance->enters; enter; enter = enter->next) {
        if (enter->rank <= p->rank)
            replay_stamp_merge(&last, &enter->stamp);
    }
    return replay_settle_waited(r, p, &last, REPLAY_WAIT_N_TO_1, prefix_rule);
}

static enum replay_step leave_all(struct replay *r, struct replay_place *p, struct instance *instance,
                                  enum replay_wait_kind kind, const char *rule)
{
    if (instance->arrived < instance->participants)
        return replay_park(r, p, &instance->waiting, rule);
    return replay_settle_waited(r, p, &instance->last, kind, rule);
}

static enum replay_step leaves(struct replay *r, struct replay_place *p, struct instance *instance)
{
    switch (replay_b(p) & 0xff) {
    case PCOMP_COLLECTIVE_1_TO_N:
        if (is_root(p))
            return replay_settle(r, p);
        return instance->root.happened ? leave_root(r, p, instance) : replay_park(r, p, &instance->waiting, root_rule);
    case PCOMP_COLLECTIVE_N_TO_1:
        return is_root(p) ? leave_all(r, p, instance, REPLAY_WAIT_N_TO_1, gather_rule) : replay_settle(r, p);
    case PCOMP_COLLECTIVE_PREFIX:
        return leave_prefix(r, p, instance);
    case PCOMP_COLLECTIVE_BARRIER:
        return leave_all(r, p, instance, REPLAY_WAIT_BARRIER, all_rule);
    default:
        return leave_all(r, p, instance, REPLAY_WAIT_N_TO_N, all_rule);
    }
}

enum replay_step collective_rule(struct replay *r, struct replay_place *p)
{
    struct member *member = member_of(r, p);
    struct instance *instance;
    enum replay_step step;

    if (!member)
        return replay_no_memory(r);
    if (p->kind == PCOMP_EVENT_COLLECTIVE_ENTER)
        return enters(r, p, member);
    if (member->left == member->entered)
        return replay_out_of_place(r, p, "a collective is left that was not entered");
    instance = instance_at(r, member->communicator, p, member->left);
    step = instance ? leaves(r, p, instance) : replay_settle(r, p);
    if (step != REPLAY_SETTLED)
        return step;
    member->left++;
    if (instance)
        leave(r, member->communicator, instance);
    return REPLAY_SETTLED;
}
