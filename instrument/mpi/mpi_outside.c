/* One-sided communication, neighbourhood collectives and files: where they wait for others. */
#include "instrument/mpi/mpi_outside.h"

#include "instrument/exported.h"
#include "instrument/mpi/mpi_comm.h"

#define UNCOVERED(what, name, types, own)                                                                              \
    EXPORT int MPI_##name types                                                                                        \
    {                                                                                                                  \
        return mpi_traced ? OUTSIDE(what, PMPI_##name own) : WAITS(PCOMP_WAITING_COLLECTIVE, 0, PMPI_##name own);      \
    }

#define WINDOW(name, types, own) UNCOVERED(PCOMP_EXTERNAL_WINDOW, name, types, own)

WINDOW(Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, unit, info, comm, win))
WINDOW(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
WINDOW(Win_free, (MPI_Win * win), (win))
WINDOW(Win_fence, (int assertion, MPI_Win win), (assertion, win))
WINDOW(Win_start, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win))
WINDOW(Win_complete, (MPI_Win win), (win))
WINDOW(Win_post, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win))
WINDOW(Win_wait, (MPI_Win win), (win))
WINDOW(Win_lock, (int type, int rank, int assertion, MPI_Win win), (type, rank, assertion, win))
WINDOW(Win_unlock, (int rank, MPI_Win win), (rank, win))
WINDOW(Win_lock_all, (int assertion, MPI_Win win), (assertion, win))
WINDOW(Win_unlock_all, (MPI_Win win), (win))
WINDOW(Win_flush, (int rank, MPI_Win win), (rank, win))
WINDOW(Win_flush_all, (MPI_Win win), (win))
WINDOW(Win_flush_local, (int rank, MPI_Win win), (rank, win))
WINDOW(Win_flush_local_all, (MPI_Win win), (win))

#define NEIGHBOURS(name, types, own) UNCOVERED(PCOMP_EXTERNAL_COLLECTIVE, name, types, own)

NEIGHBOURS(Neighbor_allgather,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
            MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm))
NEIGHBOURS(Neighbor_allgatherv,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[],
            const int places[], MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, counts, places, type, comm))
NEIGHBOURS(Neighbor_alltoall,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
            MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm))
NEIGHBOURS(Neighbor_alltoallv,
           (const void *send, const int send_counts[], const int send_places[], MPI_Datatype send_type, void *receive,
            const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm),
           (send, send_counts, send_places, send_type, receive, counts, places, type, comm))
NEIGHBOURS(Neighbor_alltoallw,
           (const void *send, const int send_counts[], const MPI_Aint send_places[], const MPI_Datatype send_types[],
            void *receive, const int counts[], const MPI_Aint places[], const MPI_Datatype types[], MPI_Comm comm),
           (send, send_counts, send_places, send_types, receive, counts, places, types, comm))

#define SHARED_FILE(name, types, own) UNCOVERED(PCOMP_EXTERNAL_FILES, name, types, own)

SHARED_FILE(File_open, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file),
            (comm, path, mode, info, file))
SHARED_FILE(File_close, (MPI_File * file), (file))
SHARED_FILE(File_read_all, (MPI_File file, void *to, int count, MPI_Datatype type, MPI_Status *status),
            (file, to, count, type, status))
SHARED_FILE(File_write_all, (MPI_File file, const void *from, int count, MPI_Datatype type, MPI_Status *status),
            (file, from, count, type, status))
SHARED_FILE(File_read_at_all,
            (MPI_File file, MPI_Offset at, void *to, int count, MPI_Datatype type, MPI_Status *status),
            (file, at, to, count, type, status))
SHARED_FILE(File_write_at_all,
            (MPI_File file, MPI_Offset at, const void *from, int count, MPI_Datatype type, MPI_Status *status),
            (file, at, from, count, type, status))
