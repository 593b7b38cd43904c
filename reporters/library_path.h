/* Where the command finds what belongs to it: the library to preload, the calibration helper,
 * the library that stamps main.
 *
 * First relative to the command itself (build tree, moved installation), then where it was installed. */
#ifndef PCOMP_LIBRARY_PATH_H
#define PCOMP_LIBRARY_PATH_H

/* malloc'ed absolute path; NULL when there is none. */
char *library_path_find(void);
char *helper_path_find(void);
char *stamp_library_path_find(void);

#endif
