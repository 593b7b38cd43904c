/* The modules that are loaded: what dl_iterate_phdr tells, also where it would wait for ever. The child of a fork is
 * left with the loader's lock as it was, and another thread of the parent may have held it. Until the child loads or
 * unloads a module, which needs that lock, its modules are those of the parent, and are read without a lock. */
#ifndef PCOMP_LOADED_MODULES_H
#define PCOMP_LOADED_MODULES_H

#include <link.h>

/* As dl_iterate_phdr, but for the counts of what was loaded and unloaded, which are 0 without the lock. */
int loaded_modules_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

/* Calls `work` while no module can come or go. A lock of ours under which modules are asked for is taken there: a
 * handler in a thread that has the loader's lock may wait for it, and its holder must not wait for the loader. */
void loaded_modules_hold(void (*work)(void *argument), void *argument);

/* In the child of a fork, before anything else there is called; and when it begins to load or unload. */
void loaded_modules_fork(void);
void loaded_modules_change(void);

#endif
