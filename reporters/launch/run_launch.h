/* Starting the measured program and waiting for it, without coming between it and its terminal. */
#ifndef PCOMP_RUN_LAUNCH_H
#define PCOMP_RUN_LAUNCH_H

#include <stdbool.h>

struct run_result {
    int exit_status; /* as a shell says: the program's, 128+n on signal n, 127 not found, 126 not executable */
    int signal;      /* that ended it; 0 none */
    int exec_errno;  /* why it could not be started; 0: it was */
    double seconds;  /* from start to end */
};

/* What `name` is, by PATH: malloc'ed path; NULL with errno ENOENT, EACCES or EISDIR. */
char *run_find(const char *name);

/* Why run_find found no `name`, and what to do, for messages; and the exit status of a shell for it: 126 or 127. */
const char *run_find_problem(const char *name, int why);
int run_find_status(int why);

/* What is called again and again while the program runs; it takes its time itself. */
struct run_watch {
    void (*look)(void *context);
    void *context;
};

/* Runs path with argv, the environment being this one with the NULL-terminated "KEY=value" texts of `set` over it.
 * SIGINT and SIGQUIT are left to the program while it runs, SIGTERM and SIGHUP are passed on to it. watch: NULL
 * nothing. False when no process could be made (errno). */
bool run_launch(const char *path, char *const *argv, char *const *set, const struct run_watch *watch,
                struct run_result *result);

#endif
