#include "signals.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may only use what needs no lock");

/* The one piece of state a signal handler can reach; atomic, because any thread may look at it. */
static atomic_int stop_signal;

static void on_signal(int number)
{
    if (atomic_exchange(&stop_signal, number) != 0)
        _exit(128 + number);
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
    return atomic_load(&stop_signal) != 0;
}

int sp_stop_status(void)
{
    int number = atomic_load(&stop_signal);
    return number == 0 ? 0 : 128 + number;
}
