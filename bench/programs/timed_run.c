/* Runs a program and appends what it cost: timed_run FILE LABEL PROGRAM [ARG...]
 *
 * Appends "LABEL user system wall peak" (seconds; CPU times include children that were waited for; KiB resident at
 * most). The exit status is the program's. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: timed_run FILE LABEL PROGRAM [ARG...]\n");
        return 2;
    }
    struct timespec begin, end;
    struct rusage usage;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
        perror("timed_run");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "timed_run: %s: ended with status 0x%x\n", argv[3], (unsigned)status);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    FILE *file = fopen(argv[1], "a");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    double wall = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    fprintf(file, "%s %.6f %.6f %.6f %ld\n", argv[2], seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), wall,
            usage.ru_maxrss);
    return fclose(file) ? 1 : 0;
}
