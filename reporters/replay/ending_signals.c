#include "reporters/replay/ending_signals.h"

#include "reporters/replay/drive/replay_drive.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static void on_signal(int number)
{
    (void)number;
    replay_interrupt();
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };
static struct sigaction former_actions[ENDING_SIGNALS];
static bool signals_taken;

void ending_signals_take(void)
{
    for (int i = 0; i < ENDING_SIGNALS && !signals_taken; i++) {
        sigaction(ending_signals[i], NULL, &former_actions[i]);
        if (former_actions[i].sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(ending_signals[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    }
    signals_taken = true;
}

void ending_signals_return(void)
{
    for (int i = 0; i < ENDING_SIGNALS && signals_taken; i++)
        sigaction(ending_signals[i], &former_actions[i], NULL);
    signals_taken = false;
}
