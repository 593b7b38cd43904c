#include "instrument/mpi/mpi_message.h"

#include "instrument/mpi/mpi_muted.h"

/* The MPI need not be asked about the common types. */
static MPI_Count type_size(MPI_Datatype type)
{
    MPI_Count size = 0;
    if (type == MPI_BYTE || type == MPI_CHAR)
        return 1;
    if (type == MPI_INT)
        return sizeof(int);
    if (type == MPI_DOUBLE)
        return sizeof(double);
#if MPI_VERSION >= 4 /* which deprecates the other */
    MUTED(PMPI_Type_size_c(type, &size));
#else
    MUTED(PMPI_Type_size_x(type, &size));
#endif
    return size;
}

uint64_t message_bytes(MPI_Count count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    MPI_Count size = type_size(type);
    return size > 0 ? (uint64_t)size * (uint64_t)count : 0;
}

struct message message_about(enum pcomp_event_kind post, MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    struct message message = {.post = post, .peer = peer, .tag = tag, .bytes = bytes};
    struct mpi_comm *known = peer == MPI_PROC_NULL ? NULL : comm_find(comm);
    if (known && (peer == MPI_ANY_SOURCE || (peer >= 0 && peer < known->size)))
        message.comm = known;
    return message;
}

/* The peer, in MPI_COMM_WORLD, and the tag in one word. */
static uint64_t message_partner(const struct message *message, int peer, int tag)
{
    uint32_t world = peer >= 0 && peer < message->comm->size ? (uint32_t)message->comm->world[peer] : PCOMP_EVENT_ANY;
    return (uint64_t)world << 32 | (tag == MPI_ANY_TAG ? PCOMP_EVENT_ANY : (uint32_t)tag);
}

static uint64_t message_request(const struct message *message)
{
    return message->number << 24 | message->comm->number;
}

static void message_event(enum pcomp_event_kind kind, const struct message *message, uint64_t bytes, uint64_t partner)
{
    pcomp_trace_event_long(kind, bytes & PCOMP_EVENT_VALUE, partner, message_request(message));
}

void message_post(const struct message *message)
{
    if (message->comm)
        message_event(message->post, message, message->bytes, message_partner(message, message->peer, message->tag));
}

void message_gone(const struct message *message)
{
    if (message->comm)
        message_event(PCOMP_EVENT_REQUEST_GONE, message, message->post, 0);
}

uint64_t message_size(const MPI_Status *status)
{
    MPI_Count bytes = 0;
#if MPI_VERSION >= 4
    MUTED(PMPI_Get_elements_c(status, MPI_BYTE, &bytes));
#else
    MUTED(PMPI_Get_elements_x(status, MPI_BYTE, &bytes));
#endif
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void message_came(enum pcomp_event_kind kind, const struct message *message, const MPI_Status *status)
{
    message_event(kind, message, message_size(status), message_partner(message, status->MPI_SOURCE, status->MPI_TAG));
}

/* MPICH (4.0.2 to 5.0.2) leaves in the status of a request of MPI_Isendrecv what an earlier message has left there:
 * what came is what was asked for, as far as that says it. */
static bool message_has_status(const struct message *message)
{
#ifdef MPICH
    return !message->paired;
#else
    (void)message;
    return true;
#endif
}

static void message_came_as_asked(const struct message *message)
{
    if (message->peer == MPI_ANY_SOURCE || message->tag == MPI_ANY_TAG)
        message_gone(message);
    else
        message_event(PCOMP_EVENT_RECV_DONE, message, message->bytes,
                      message_partner(message, message->peer, message->tag));
}

/* A message that was too long for its buffer has come nevertheless. */
static bool message_has_come(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        MUTED(PMPI_Error_class(result, &class));
    return class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE;
}

void message_done(const struct message *message, int result, const MPI_Status *status)
{
    if (!message->comm)
        return;
    if (!message_has_come(result))
        message_gone(message);
    else if (message->post == PCOMP_EVENT_RECV_POST && !message_has_status(message))
        message_came_as_asked(message);
    else if (message->post == PCOMP_EVENT_RECV_POST)
        message_came(PCOMP_EVENT_RECV_DONE, message, status);
    else if (message->post == PCOMP_EVENT_PROBE_ENTER)
        message_came(PCOMP_EVENT_PROBE_EXIT, message, status);
    else
        message_event(PCOMP_EVENT_SEND_DONE, message, message->bytes,
                      message_partner(message, message->peer, message->tag));
}
