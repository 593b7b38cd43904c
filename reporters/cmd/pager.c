#include "reporters/cmd/pager.h"

#include "reporters/base/terminal.h"
#include "reporters/launch/run_launch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;

/* NULL: none is wanted, or there is none. */
static const char *pager_command(void)
{
    const char *command = getenv("PCOMP_PAGER"), *term = getenv("TERM");
    if (!command)
        command = getenv("PAGER");
    if (command)
        return *command && strcmp(command, "cat") != 0 ? command : NULL;
    char *less = term && strcmp(term, "dumb") != 0 ? run_find("less") : NULL;
    bool found = less != NULL;
    free(less);
    return found ? "less" : NULL;
}

void pager_begin(void)
{
    int ends[2];
    const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;
    if (!command || pipe(ends) != 0)
        return;
    terminal_keep(stdout);
    fflush(stdout);
    pager = fork();
    if (pager == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LESS", "FRX", 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        signal(SIGINT, SIG_IGN); /* it is the pager's */
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void)
{
    if (pager <= 0)
        return;
    fflush(stdout);
    close(STDOUT_FILENO);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        ;
    pager = 0;
}
