#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The one piece of state a signal handler can reach. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    if (stop_signal != 0)
        _exit(128 + number);
    stop_signal = number;
}

void sp_signals_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool sp_stop_requested(void)
{
    return stop_signal != 0;
}

int sp_stop_status(void)
{
    return stop_signal == 0 ? 0 : 128 + stop_signal;
}
