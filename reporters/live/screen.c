#include "reporters/live/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* of term.h, which has macros of common names */
#undef lines
#undef columns

#define ESCAPE_MS 100 /* between the bytes of one key, over a slow line */

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crashing[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { ASKING = sizeof asking / sizeof *asking, CRASHING = sizeof crashing / sizeof *crashing };

static SCREEN *screen;
static struct termios before;
static struct sigaction saved[ASKING];
static volatile sig_atomic_t asked; /* signal that asked to end */
static char undo[256];              /* bytes that take the terminal back */
static size_t undo_size;
static int saved_stderr = -1;

bool screen_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void ask(int signal)
{
    asked = signal;
}

/* This command itself crashes: nothing but the terminal is put right. */
static void crash(int signal)
{
    ssize_t written = write(STDOUT_FILENO, undo, undo_size);
    (void)written;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    if (saved_stderr >= 0)
        dup2(saved_stderr, STDERR_FILENO);
    raise(signal); /* its default: SA_RESETHAND */
}

static void remember_undo(const char *capability)
{
    const char *bytes = tigetstr(capability);
    if (!bytes || bytes == (const char *)-1)
        return;
    size_t length = strlen(bytes);
    if (undo_size + length > sizeof undo)
        return;
    memcpy(undo + undo_size, bytes, length);
    undo_size += length;
}

static void signals_open(void)
{
    struct sigaction ask_action = {.sa_handler = ask};
    struct sigaction crash_action = {.sa_handler = crash, .sa_flags = (int)SA_RESETHAND};
    asked = 0;
    for (int i = 0; i < ASKING; i++) {
        sigaction(asking[i], NULL, &saved[i]);
        if (saved[i].sa_handler != SIG_IGN)
            sigaction(asking[i], &ask_action, NULL);
    }
    for (int i = 0; i < CRASHING; i++)
        sigaction(crashing[i], &crash_action, NULL);
}

static void signals_close(void)
{
    for (int i = 0; i < ASKING; i++)
        sigaction(asking[i], &saved[i], NULL);
    for (int i = 0; i < CRASHING; i++)
        signal(crashing[i], SIG_DFL);
}

static void styles_open(void)
{
    const char *plain = getenv("NO_COLOR");
    if ((plain && *plain) || !has_colors() || start_color() == ERR)
        return;
    use_default_colors();
    init_pair(1, COLOR_RED, -1);
    init_pair(2, COLOR_YELLOW, -1);
}

bool screen_open(char *error, size_t error_size)
{
    const char *term = getenv("TERM");
    const char *advice = "set TERM, or use pcomp report";
    if (!term || !*term) {
        snprintf(error, error_size, "TERM is not set (%s)", advice);
        return false;
    }
    tcgetattr(STDIN_FILENO, &before);
    int failed = 0; /* newterm itself would end the process for some terminals */
    if (setupterm(term, STDOUT_FILENO, &failed) == ERR || !cursor_address || !clear_screen) {
        snprintf(error, error_size, "nothing can be drawn on TERM=%.60s (%s)", term, advice);
        return false;
    }
    undo_size = 0;
    static const char *const capabilities[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        remember_undo(capabilities[i]);
    signals_open();
    set_escdelay(ESCAPE_MS);
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        signals_close();
        snprintf(error, error_size, "nothing can be drawn on TERM=%.60s (%s)", term, advice);
        return false;
    }
    set_term(screen);
    if (isatty(STDERR_FILENO)) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        fflush(stderr);
        saved_stderr = nowhere >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
        if (saved_stderr >= 0)
            dup2(nowhere, STDERR_FILENO);
        if (nowhere >= 0)
            close(nowhere);
    }
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    styles_open();
    return true;
}

void screen_close(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    if (saved_stderr >= 0) {
        dup2(saved_stderr, STDERR_FILENO);
        close(saved_stderr);
        saved_stderr = -1;
    }
    signals_close();
    if (asked)
        raise(asked);
}

void screen_size(size_t *width, size_t *height)
{
    int lines, columns;
    getmaxyx(stdscr, lines, columns);
    *width = columns > 0 ? (size_t)columns : 1;
    *height = lines > 0 ? (size_t)lines : 1;
}

static attr_t attributes_of(enum browser_style style)
{
    switch (style) {
    case BROWSER_TITLES:
    case BROWSER_SELECTED:
        return style == BROWSER_SELECTED ? A_REVERSE | A_BOLD : A_REVERSE;
    case BROWSER_COSTLY:
        return A_BOLD | COLOR_PAIR(1);
    case BROWSER_ALARM:
        return A_BOLD | COLOR_PAIR(2);
    case BROWSER_HEAD:
        return A_BOLD;
    case BROWSER_FOOT:
        return A_DIM;
    default:
        return A_NORMAL;
    }
}

void screen_draw(const struct browser_page *page)
{
    size_t width, height;
    screen_size(&width, &height);
    erase();
    for (size_t i = 0; i < page->count && i < height; i++) {
        attr_t attributes = attributes_of(page->lines[i].style);
        attrset(attributes);
        if (attributes & A_REVERSE)
            mvhline((int)i, 0, ' ', (int)width);
        mvaddstr((int)i, 0, page->lines[i].text);
    }
    attrset(A_NORMAL);
    curs_set(page->cursor != SIZE_MAX);
    if (page->cursor != SIZE_MAX && page->count)
        move((int)page->count - 1, (int)page->cursor);
    refresh();
}

static int translate(bool special, wint_t key)
{
    static const struct {
        wint_t from;
        int to;
    } keys[] = {
        {KEY_UP, BROWSER_KEY_UP},         {KEY_DOWN, BROWSER_KEY_DOWN},
        {KEY_PPAGE, BROWSER_KEY_PAGE_UP}, {KEY_NPAGE, BROWSER_KEY_PAGE_DOWN},
        {KEY_HOME, BROWSER_KEY_HOME},     {KEY_END, BROWSER_KEY_END},
        {KEY_LEFT, BROWSER_KEY_LEFT},     {KEY_RIGHT, BROWSER_KEY_RIGHT},
        {KEY_ENTER, BROWSER_KEY_ENTER},   {KEY_BACKSPACE, BROWSER_KEY_BACKSPACE},
        {KEY_DC, BROWSER_KEY_BACKSPACE},  {KEY_F(1), BROWSER_KEY_HELP},
        {KEY_F(3), BROWSER_KEY_SEARCH},   {KEY_F(4), BROWSER_KEY_FILTER},
        {KEY_F(6), BROWSER_KEY_SORT},     {KEY_F(10), BROWSER_KEY_QUIT},
        {KEY_RESIZE, BROWSER_KEY_RESIZE},
    };
    for (size_t i = 0; special && i < sizeof keys / sizeof *keys; i++)
        if (keys[i].from == key)
            return keys[i].to;
    if (special)
        return BROWSER_KEY_RESIZE; /* one that does nothing */
    if (key == '\r' || key == '\n')
        return BROWSER_KEY_ENTER;
    if (key == 0x7f || key == '\b')
        return BROWSER_KEY_BACKSPACE;
    if (key == 0x1b)
        return BROWSER_KEY_ESCAPE;
    if (key == 0x0c) /* Ctrl-L */
        clearok(curscr, TRUE);
    return (int)key;
}

int screen_key(double seconds)
{
    wint_t key = 0;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    timeout(0);
    int got = get_wch(&key); /* ncurses may have some already: a resize, or bytes behind an escape */
    if (got == ERR) {
        int ready = asked ? -1 : poll(&in, 1, seconds > 0 ? (int)(seconds * 1e3) + 1 : 0);
        if (asked || (ready > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL))))
            return SCREEN_GONE;
        if (ready > 0 || (ready < 0 && errno == EINTR))
            got = get_wch(&key);
        if (got == ERR)
            return asked ? SCREEN_GONE : SCREEN_TIMEOUT;
    }
    return translate(got == KEY_CODE_YES, key);
}
