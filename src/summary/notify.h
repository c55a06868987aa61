/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells a service manager how it goes, by the protocol of sd_notify(3): a datagram to $NOTIFY_SOCKET.
 */
#ifndef AUXBPF_SUMMARY_NOTIFY_H
#define AUXBPF_SUMMARY_NOTIFY_H

#include "base/cleanup.h"

/*
 * Sends @state, lines of NAME=VALUE as in sd_notify(3): "READY=1\nSTATUS=armed". 0, also where nobody
 * listens, or a negative errno; what is wrong is said with -v, as nothing of the recording depends on it.
 */
int notify__send(const char *state) _nonnull_(1);

#endif
