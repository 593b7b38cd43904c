/* Communicators: a number on which all members agree and that no other communicator of the job has, and their members'
 * ranks in MPI_COMM_WORLD. Kept as an attribute of the communicator, so that it goes when that does. Thread-safe as the
 * MPI is. */
#ifndef PCOMP_MPI_COMM_H
#define PCOMP_MPI_COMM_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpi_comm {
    uint32_t number; /* 24 bits; MPI_COMM_WORLD is 0 */
    uint32_t users;  /* requests and the communicator itself */
    int size;
    int32_t world[]; /* rank in MPI_COMM_WORLD of each member */
};

/* A trace is recorded: all processes of the job agreed on it at MPI_Init. What is wrapped tests it before anything
 * else. */
extern bool mpi_traced;

/* Knows MPI_COMM_WORLD and MPI_COMM_SELF from here on. False: no memory. */
bool comm_start(int rank, int size);

/* Gives a new communicator its number. To be called by all its members, outside any recorded operation; an
 * intercommunicator, MPI_COMM_NULL and one with processes of another MPI_COMM_WORLD are left unknown. */
void comm_made(MPI_Comm comm);

/* NULL: MPI_COMM_NULL, or unknown; nothing is recorded of it then. Only when mpi_traced. */
struct mpi_comm *comm_find(MPI_Comm comm);

/* Holds on to what comm_find returned, and lets go: a communicator may be freed before its requests are done. */
void comm_hold(struct mpi_comm *comm);
void comm_release(struct mpi_comm *comm);

#endif
