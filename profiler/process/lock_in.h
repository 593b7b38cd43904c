/* Programs that forbid themselves system calls (seccomp), or to read the time stamp counter. */
#ifndef PCOMP_LOCK_IN_H
#define PCOMP_LOCK_IN_H

/* Before the program does so: measuring ends for good, in its children too, all sites go off, and no system call of
 * ours follows. What was measured stays. Keeps errno. */
void lock_in(void);

#endif
