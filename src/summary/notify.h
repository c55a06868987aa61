/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells a service manager the state of the recording, by the protocol of sd_notify(3): a datagram to
 * $NOTIFY_SOCKET.
 */
#ifndef AUXBPF_SUMMARY_NOTIFY_H
#define AUXBPF_SUMMARY_NOTIFY_H

#include "base/cleanup.h"

/*
 * Sends @state, lines of NAME=VALUE as in sd_notify(3): "READY=1\nSTATUS=armed". 0, also where nobody
 * listens, or a negative errno. What is wrong is logged only with -v, because the recording does not depend
 * on it.
 */
int notify__send(const char *state) _nonnull_(1);

#endif
