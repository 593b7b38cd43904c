#include "reporters/base/terminal.h"

#include "reporters/base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static FILE *kept_stream; /* what it was before it went to a pager */
static size_t kept_width;
static bool kept_colour;

void terminal_keep(FILE *stream)
{
    kept_width = terminal_width(stream);
    kept_colour = terminal_colour(stream);
    kept_stream = stream;
}

size_t terminal_width(FILE *stream)
{
    if (stream == kept_stream)
        return kept_width;
    if (!isatty(fileno(stream)))
        return 0;
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (width <= 0 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width <= 0 ? 80 : width < 40 ? 40 : (size_t)width;
}

bool terminal_colour(FILE *stream)
{
    if (stream == kept_stream)
        return kept_colour;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(stream)) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static char progress_text[256];
static size_t progress_size;
static volatile sig_atomic_t progress_shown;

static void progress_show(int signal)
{
    (void)signal;
    int saved = errno;
    progress_shown = 1;
    if (write(STDERR_FILENO, progress_text, progress_size) < 0)
        progress_shown = 0;
    errno = saved;
}

void terminal_progress_begin(const char *text)
{
    if (!isatty(STDERR_FILENO))
        return;
    char *clean = text_clean(text);
    if (!clean)
        return;
    clean[text_prefix(clean, 60)] = 0;
    snprintf(progress_text, sizeof progress_text, "pcomp: %s ...\r", clean);
    free(clean);
    progress_size = strlen(progress_text);
    progress_shown = 0;
    struct sigaction action = {.sa_handler = progress_show, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {1, 0}}, NULL);
}

void terminal_progress_end(void)
{
    if (!progress_size)
        return;
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
    signal(SIGALRM, SIG_DFL);
    progress_size = 0;
    if (progress_shown)
        fputs("\r\033[K", stderr);
}

void terminal_bar(const char *what, size_t done, size_t all)
{
    static struct timespec start;
    enum { WIDTH = 24 };
    char bar[WIDTH + 1], left[TEXT_NUMBER + 8] = "";
    struct timespec now;
    if (!isatty(STDERR_FILENO))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!done)
        start = now;
    if (done >= all) {
        fputs("\r\033[K", stderr);
        return;
    }
    double spent = (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
    if (done)
        snprintf(left, sizeof left, ", %.0f s left", spent / (double)done * (double)(all - done));
    memset(bar, '.', WIDTH);
    memset(bar, '#', done * WIDTH / all);
    bar[WIDTH] = 0;
    fprintf(stderr, "\rpcomp: %s [%s] %zu of %zu%s\033[K", what, bar, done, all, left);
    fflush(stderr);
}
