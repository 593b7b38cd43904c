/* One-sided communication and files: where they wait for others, without counts. */
#include "instrument/mpi/mpi_outside.h"

#include "instrument/exported.h"
#include "instrument/mpi/mpi_comm.h"

#define WINDOW(name, types, own) UNCOVERED(PCOMP_EXTERNAL_WINDOW, name, types, own)

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

#define SHARED_FILE(name, types, own) UNCOVERED(PCOMP_EXTERNAL_FILES, name, types, own)

SHARED_FILE(File_open, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file),
            (comm, path, mode, info, file))
SHARED_FILE(File_close, (MPI_File * file), (file))
