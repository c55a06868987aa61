// SPDX-License-Identifier: GPL-2.0-only
#include "containers/docker_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#define ANSWER_MAX (16 << 20)

static int connect_to(const char *root)
{
	const struct timeval limit = {.tv_sec = 1};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = -1;

	if (snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/docker.sock", root) >=
	    (int)sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    connect(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	return steal_fd(&fd);
}

static int receive(int fd, struct buf *answer)
{
	char part[16384];
	ssize_t n;

	while ((n = recv(fd, part, sizeof(part), 0)) > 0) {
		buf__add(answer, part, (size_t)n);
		if (answer->len > ANSWER_MAX)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	buf__add(answer, "", 1);
	return buf__error(answer);
}

int docker_socket__containers(const char *root, struct buf *ret)
{
	/* With HTTP/1.0 the answer ends with the connection and is in one piece. */
	static const char request[] = "GET /containers/json HTTP/1.0\r\nHost: docker\r\n\r\n";
	_cleanup_close_ int fd = connect_to(root);
	_cleanup_buf_ struct buf answer = {0};
	const char *body;
	int err;

	if (fd < 0)
		return fd;
	if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(request) - 1)
		return -EPROTO;
	err = receive(fd, &answer);
	if (err)
		return err;
	body = strstr((const char *)answer.data, "\r\n\r\n");
	if (!body || strncmp((const char *)answer.data, "HTTP/1.", 7) ||
	    strncmp((const char *)answer.data + 8, " 200", 4))
		return -EPROTO;
	buf__add(ret, body + 4, strlen(body + 4) + 1);
	return buf__error(ret);
}
