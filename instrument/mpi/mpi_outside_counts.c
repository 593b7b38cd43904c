/* One-sided communication, neighbourhood collectives and files: where they wait for others, with counts. */
#include "instrument/mpi/mpi_outside.h"

#define WINDOW(name, types, own) UNCOVERED(PCOMP_EXTERNAL_WINDOW, name, types, own)

WINDOW(Win_create, (void *base, MPI_Aint size, place_t unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, unit, info, comm, win))
WINDOW(Win_allocate, (MPI_Aint size, place_t unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))

#define NEIGHBOURS(name, types, own) UNCOVERED(PCOMP_EXTERNAL_COLLECTIVE, name, types, own)

NEIGHBOURS(Neighbor_allgather,
           (const void *send, count_t send_count, MPI_Datatype send_type, void *receive, count_t count,
            MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm))
NEIGHBOURS(Neighbor_allgatherv,
           (const void *send, count_t send_count, MPI_Datatype send_type, void *receive, const count_t counts[],
            const place_t places[], MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, counts, places, type, comm))
NEIGHBOURS(Neighbor_alltoall,
           (const void *send, count_t send_count, MPI_Datatype send_type, void *receive, count_t count,
            MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm))
NEIGHBOURS(Neighbor_alltoallv,
           (const void *send, const count_t send_counts[], const place_t send_places[], MPI_Datatype send_type,
            void *receive, const count_t counts[], const place_t places[], MPI_Datatype type, MPI_Comm comm),
           (send, send_counts, send_places, send_type, receive, counts, places, type, comm))
NEIGHBOURS(Neighbor_alltoallw,
           (const void *send, const count_t send_counts[], const MPI_Aint send_places[],
            const MPI_Datatype send_types[], void *receive, const count_t counts[], const MPI_Aint places[],
            const MPI_Datatype types[], MPI_Comm comm),
           (send, send_counts, send_places, send_types, receive, counts, places, types, comm))

#define SHARED_FILE(name, types, own) UNCOVERED(PCOMP_EXTERNAL_FILES, name, types, own)

SHARED_FILE(File_read_all, (MPI_File file, void *to, count_t count, MPI_Datatype type, MPI_Status *status),
            (file, to, count, type, status))
SHARED_FILE(File_write_all, (MPI_File file, const void *from, count_t count, MPI_Datatype type, MPI_Status *status),
            (file, from, count, type, status))
SHARED_FILE(File_read_at_all,
            (MPI_File file, MPI_Offset at, void *to, count_t count, MPI_Datatype type, MPI_Status *status),
            (file, at, to, count, type, status))
SHARED_FILE(File_write_at_all,
            (MPI_File file, MPI_Offset at, const void *from, count_t count, MPI_Datatype type, MPI_Status *status),
            (file, at, from, count, type, status))
