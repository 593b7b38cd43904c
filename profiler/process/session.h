/* The measurement of this process: started by the first hook that fires, closed at exit, started anew in the child of a
 * fork. */
#ifndef PCOMP_SESSION_H
#define PCOMP_SESSION_H

/* Finds the modules with sleds that are loaded now, and leads the sleds to their slots: from then on their first call
 * is a hook. Nothing is started where there are none. When the library is loaded, and after each dlopen. Keeps errno.
 */
void session_register_sleds(void);

/* Ends measuring and closes the profile, at exit at the latest; nothing where none is open. Keeps errno. */
void session_close(void);

#endif
