/* The shared libraries of a program. */
#ifndef PCOMP_LOADED_LIBRARIES_H
#define PCOMP_LOADED_LIBRARIES_H

/* Calls visit with the path of each, as the dynamic loader lists them without running the program; not at all where
 * another loader than glibc's would run it. Starts a process; not thread-safe. */
void loaded_libraries_each(const char *program, void (*visit)(void *context, const char *path), void *context);

#endif
