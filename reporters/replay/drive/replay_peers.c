#include "reporters/replay/drive/replay_peers.h"

#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/replay/drive/peer_transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { UPDATES, EXCHANGE, LEAVE };

struct head { /* of every message */
    uint32_t kind;
    int32_t status; /* LEAVE: exit status; a text may follow */
};

struct peer {
    void *early; /* its part of an exchange that is to come here; NULL none */
    size_t early_size;
    char *text; /* what it said when it left; NULL nothing */
    int status;
    bool left;
};

struct replay_peers {
    const struct peer_transport *transport;
    int rank, count;
    struct peer *peers; /* by rank */
    struct head *out;   /* updates that are not sent yet */
    size_t out_size, out_room;
    void *in; /* the message that came last */
    size_t in_room, in_size, in_at;
};

int replay_peers_rank(const struct replay_peers *p)
{
    return p ? p->rank : 0;
}

int replay_peers_count(const struct replay_peers *p)
{
    return p ? p->count : 1;
}

/* --- Joining --------------------------------------------------------------------------------------------------------
 */

static bool is_many(const char *name)
{
    const char *value = getenv(name);
    return value && atoi(value) > 1;
}

/* Of which MPI the mpirun is that has started this process, among others; NULL none. */
static const char *started_by(void)
{
    return is_many("OMPI_COMM_WORLD_SIZE") ? "openmpi" : is_many("PMI_SIZE") ? "mpich" : NULL;
}

static const struct peer_transport *load(const char *mpi)
{
    char *path = replay_library_path_find(mpi);
    /* Open MPI loads parts of its own that look for it among the global names. */
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    const struct peer_transport *transport = library ? dlsym(library, PEER_TRANSPORT_NAME) : NULL;
    if (!path)
        message_failure("replay: was started by the mpirun of %s, for which pcomp was not built (start it alone)", mpi);
    else if (!transport)
        message_failure("replay: %s (start it without mpirun)", dlerror());
    free(path);
    return transport;
}

bool replay_peers_join(struct replay_peers **peers)
{
    const char *mpi = started_by();
    *peers = NULL;
    if (!mpi)
        return true;
    struct replay_peers *p = calloc(1, sizeof *p);
    if (!p) {
        message_no_memory("replay");
        return false;
    }
    p->transport = load(mpi);
    if (p->transport && !p->transport->open(&p->rank, &p->count))
        message_failure("replay: MPI cannot be initialised");
    p->peers = p->count ? calloc((size_t)p->count, sizeof *p->peers) : NULL;
    if (!p->peers) {
        free(p);
        return false;
    }
    message_keep_failures();
    *peers = p;
    return true;
}

/* --- Messages -------------------------------------------------------------------------------------------------------
 */

static bool send_all(struct replay_peers *p, const struct head *message, size_t size)
{
    bool ok = true;
    for (int to = 0; ok && to < p->count; to++)
        ok = to == p->rank || p->transport->send(to, message, size);
    return ok;
}

/* A message of that kind to all. */
static bool send_kind(struct replay_peers *p, enum kind kind, int status, const void *data, size_t size)
{
    struct head *message = malloc(sizeof *message + size);
    if (!message)
        return false;
    *message = (struct head){kind, status};
    if (size)
        memcpy(message + 1, data, size);
    bool sent = send_all(p, message, sizeof *message + size);
    free(message);
    return sent;
}

static void note_leaving(struct peer *peer, const struct head *head, size_t size)
{
    peer->left = true;
    peer->status = head->status;
    if (size > sizeof *head)
        peer->text = strndup((const char *)(head + 1), size - sizeof *head);
}

/* Receives one message, into p->in. False: none came, or it says that its sender has left. */
static bool receive(struct replay_peers *p, int from, int *sender)
{
    size_t size = p->transport->receive(from, sender, &p->in, &p->in_room);
    const struct head *head = p->in;
    p->in_size = size;
    p->in_at = sizeof *head;
    if (size < sizeof *head)
        return false;
    if (head->kind == LEAVE)
        note_leaving(&p->peers[*sender], head, size);
    return head->kind != LEAVE;
}

/* --- Updates
 * -----------------------------------------------------------------------------------------------------------
 */

bool replay_peers_publish(struct replay_peers *p, const struct replay_update *update)
{
    if (!p->out_size)
        p->out_size = sizeof *p->out;
    if (p->out_size + sizeof *update > p->out_room) {
        size_t room = 2 * (p->out_size + sizeof *update);
        void *out = realloc(p->out, room);
        if (!out)
            return false;
        p->out = out;
        p->out_room = room;
    }
    memcpy((char *)p->out + p->out_size, update, sizeof *update);
    p->out_size += sizeof *update;
    return true;
}

bool replay_peers_flush(struct replay_peers *p)
{
    if (!p->out_size)
        return true;
    size_t size = p->out_size;
    p->out_size = 0;
    *p->out = (struct head){UPDATES, 0};
    return send_all(p, p->out, size);
}

/* Keeps what a peer that is through with its replay has sent for the exchange. */
static bool keep_early(struct replay_peers *p, struct peer *peer)
{
    size_t size = p->in_size - sizeof(struct head);
    peer->early = malloc(size + 1);
    if (!peer->early)
        return false;
    memcpy(peer->early, (struct head *)p->in + 1, size);
    peer->early_size = size;
    p->in_at = p->in_size;
    return true;
}

bool replay_peers_receive(struct replay_peers *p, struct replay_update *update)
{
    if (p->in_at >= p->in_size && !replay_peers_flush(p))
        return false;
    while (p->in_at >= p->in_size) {
        int sender;
        if (!receive(p, -1, &sender))
            return false;
        if (((const struct head *)p->in)->kind == EXCHANGE && !keep_early(p, &p->peers[sender]))
            return false;
    }
    memcpy(update, (const char *)p->in + p->in_at, sizeof *update);
    p->in_at += sizeof *update;
    return true;
}

/* --- All together ---------------------------------------------------------------------------------------------------
 */

bool replay_peers_exchange(struct replay_peers *p, const void *mine, size_t size,
                           void (*each)(void *context, int rank, const void *theirs, size_t size), void *context)
{
    if (!replay_peers_flush(p) || !send_kind(p, EXCHANGE, 0, mine, size))
        return false;
    for (int from = 0; from < p->count; from++) {
        struct peer *peer = &p->peers[from];
        int sender;
        if (from == p->rank)
            continue;
        if (peer->left)
            return false;
        if (!peer->early) {
            do { /* updates that nobody waits for any more */
                if (!receive(p, from, &sender))
                    return false;
            } while (((const struct head *)p->in)->kind != EXCHANGE);
            if (!keep_early(p, peer))
                return false;
        }
        if (each)
            each(context, from, peer->early, peer->early_size);
        free(peer->early);
        peer->early = NULL;
    }
    p->in_at = p->in_size = 0;
    return true;
}

bool replay_peers_wait(struct replay_peers *p)
{
    return !p || replay_peers_exchange(p, NULL, 0, NULL, NULL);
}

int replay_peers_leave(struct replay_peers *p, int status)
{
    if (!p)
        return status;
    char *text = message_kept_failure();
    bool said = false, sent = send_kind(p, LEAVE, status, text, text ? strlen(text) + 1 : 0);
    p->peers[p->rank].text = text;
    p->peers[p->rank].status = status;
    for (int from = 0; sent && from < p->count; from++) {
        int sender = from;
        while (from != p->rank && !p->peers[from].left && (receive(p, from, &sender) || p->in_size))
            ; /* whatever it had sent before */
    }
    for (int k = 0; k < p->count; k++) {
        if (p->peers[k].status > status)
            status = p->peers[k].status;
        if (p->peers[k].text && !said && p->rank == 0) {
            message_failure("%s", p->peers[k].text);
            said = true;
        }
        free(p->peers[k].text);
        free(p->peers[k].early);
    }
    p->transport->close();
    free(p->peers);
    free(p->out);
    free(p->in);
    free(p);
    return status;
}
