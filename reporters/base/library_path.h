/* Where the command finds what belongs to it: the library to preload, the calibration helper,
 * the library that stamps main.
 *
 * First relative to the command itself (build tree, moved installation), then where it was installed. */
#ifndef PCOMP_LIBRARY_PATH_H
#define PCOMP_LIBRARY_PATH_H

/* malloc'ed absolute path; NULL when there is none. */
char *library_path_find(void);
char *helper_path_find(void);
char *pingpong_path_find(const char *mpi);       /* of the MPI: "mpich" */
char *replay_library_path_find(const char *mpi); /* by which replays of one mpirun talk */
char *stamp_library_path_find(void);
char *png_library_path_find(void);          /* by which timelines are drawn as PNG */
char *plugin_path_find(unsigned gcc_major); /* by which this gcc leaves sleds */
char *mpi_library_path_find(void);          /* which finds the one for a program's MPI */

#endif
