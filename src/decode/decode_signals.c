// SPDX-License-Identifier: GPL-2.0-only
#include "decode/decode_signals.h"

#include <errno.h>
#include <signal.h>

#include "base/cleanup.h"
#include "base/log.h"

static const int signals[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT};

/* The actions that these had before. */
static struct sigaction before[ARRAY_SIZE(signals)];

static volatile pid_t decoder;

static void restore(int signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		if (signals[i] == signal)
			sigaction(signal, &before[i], NULL);
	}
}

static void on_signal(int signal)
{
	int saved_errno = errno;

	kill(decoder, SIGKILL);
	log__clear_status_in_signal();
	restore(signal);
	raise(signal);
	errno = saved_errno;
}

void decode_signals__catch(pid_t perf)
{
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};

	decoder = perf;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		/* Whoever started this process with a signal ignored wants it to be. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void decode_signals__restore(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
}
