/* The requests that are under way, and persistent ones, found by their handle; and messages that a probe has taken.
 * Thread-safe, by a lock that is held for a few instructions. Handles may be equal while both are in use (an MPI has
 * one for all sends that are done at once): those of the calling thread are found first, the oldest before the others.
 */
#ifndef PCOMP_MPI_REQUEST_H
#define PCOMP_MPI_REQUEST_H

#include "instrument/mpi/mpi_message.h"

/* Any handle as a number. */
uint64_t request_key(MPI_Request request);
uint64_t request_message_key(MPI_Message message);

/* Adds a message that was posted; nothing for one of which nothing is recorded. Its end is recorded at once as gone
 * where there is no memory. */
void request_add(uint64_t key, const struct message *message);

/* The same for a request of two messages: request_finish sets one after the other. */
void request_add_pair(uint64_t key, const struct message *first, const struct message *second);

/* Adds a persistent request, which has not started. */
void request_add_persistent(uint64_t key, const struct message *message);

/* A message that is under way has it, or a persistent request. */
bool request_is_known(uint64_t key);

/* Starts a persistent request: sets *message, with a new number. False: it is unknown. */
bool request_start(uint64_t key, struct message *message);

/* Marks a request whose cancelling was asked for. */
void request_cancel(uint64_t key);

struct request_end {
    struct message message;
    bool cancelled; /* that was asked for */
    bool goes_on;   /* another message has the same request, and is done, too */
};

/* Ends a request that is done: sets *end, forgets the request unless it is persistent. False: it is unknown, or has not
 * started. request_release must follow. */
bool request_finish(uint64_t key, struct request_end *end);

/* The program has freed it: as request_finish, and forgets a persistent one, too. */
bool request_forget(uint64_t key, struct request_end *end);

/* Lets go of what request_finish and request_forget set. */
void request_release(const struct request_end *end);

#endif
