/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks docker's daemon (Docker Engine API, GET /containers/json), for machines where its files are not where
 * they usually are.
 */
#ifndef AUXBPF_CONTAINERS_DOCKER_SOCKET_H
#define AUXBPF_CONTAINERS_DOCKER_SOCKET_H

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * Appends what the daemon at /run/docker.sock under @root says of its running containers to @ret: JSON with a
 * NUL behind it. Waits a second at most. Negative errno: -ENOENT if there is no such socket, -EPROTO if the
 * answer is not of this form. Logs nothing.
 */
int docker_socket__containers(const char *root, struct buf *ret) _must_check_ _nonnull_(1, 2);

#endif
