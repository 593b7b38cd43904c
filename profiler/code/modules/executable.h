/* The file of the main program, also where it was given to the dynamic loader (ld.so PROGRAM), whose file is
 * /proc/self/exe then, and where there is no /proc. */
#ifndef PCOMP_PROFILER_EXECUTABLE_H
#define PCOMP_PROFILER_EXECUTABLE_H

#define EXECUTABLE_PATH 4096 /* bytes */

/* What open() takes, and its path, which may not exist any more; "": not known. Each is in `buffer`, or constant. Any
 * thread, while the current directory is that of the start. */
const char *executable_file(char buffer[EXECUTABLE_PATH]);
const char *executable_path(char buffer[EXECUTABLE_PATH]);

#endif
