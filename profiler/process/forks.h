/* Forks: handlers around them, and what a child forgets of its parent. */
#ifndef PCOMP_FORKS_H
#define PCOMP_FORKS_H

/* What the handlers do in the forking thread, before and after, and in the child; also called around _Fork. */
void forks_before(void);
void forks_after(void);
void forks_in_child(void);

/* Registers the handlers of pthread_atfork; once a process. */
void forks_start(void);

/* At the first hook of a child: what belongs to the parent (its threads, its memory that is not inherited) is
 * forgotten, and all hooks are on. The handlers of pthread_atfork have done it; where they did not run (_Fork, clone),
 * this does. */
void forks_forget_parent(void);

#endif
