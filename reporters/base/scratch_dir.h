/* A private directory for a moment, and its end. */
#ifndef PCOMP_SCRATCH_DIR_H
#define PCOMP_SCRATCH_DIR_H

#include <stdbool.h>

/* Creates a directory of mode 0700 below TMPDIR (/tmp). malloc'ed path; NULL with errno. */
char *scratch_dir_make(void);

/* Removes it with the directories and files in it, following no link; frees path. */
void scratch_dir_remove(char *path);

#endif
