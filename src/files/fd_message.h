/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages between two processes, over a socket that keeps their bounds (SOCK_SEQPACKET), with descriptors.
 */
#ifndef AUXBPF_FILES_FD_MESSAGE_H
#define AUXBPF_FILES_FD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/* Sends @len bytes and the first @nr_fds descriptors, two at most, which stay the caller's. False if nobody
 * reads. */
bool fd_message__send(int to, const void *data, size_t len, const int *fds, size_t nr_fds) _must_check_
	_nonnull_(2);

/* Waits for a message of @len bytes. A descriptor of @fds that did not come with it is -1. False if there is
 * no such message. */
bool fd_message__receive(int from, void *data, size_t len, int fds[2]) _must_check_ _nonnull_(2, 4);

#endif
