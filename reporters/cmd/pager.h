/* A pager before long output on a terminal, as git and perf have one. Not thread-safe. */
#ifndef PCOMP_PAGER_H
#define PCOMP_PAGER_H

/* Standard output goes through $PCOMP_PAGER, else $PAGER, else less, if it is a terminal; "cat" or "" is none. less
 * shows what fits on one screen without stopping. Nothing happens where there is no pager. */
void pager_begin(void);

/* Writes what is left and waits for the pager's end; to be called before the command ends. */
void pager_end(void);

#endif
