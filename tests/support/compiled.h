/* Small programs compiled for a test, in a scratch directory of their own. */
#ifndef PCOMP_TESTS_COMPILED_H
#define PCOMP_TESTS_COMPILED_H

/* Makes the directory, and removes it. For .init and .fini of a suite. */
void compiled_begin(void);
void compiled_end(void);

/* Path of a file in the directory; valid until the next call. */
const char *compiled_path(const char *name);

void compiled_source(const char *name, const char *text);

/* Runs a shell command in the directory; false when it fails. */
_Bool compiled_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
