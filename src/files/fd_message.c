// SPDX-License-Identifier: GPL-2.0-only
#include "files/fd_message.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A message carries up to two descriptors. */
struct message {
	struct msghdr header;
	struct iovec data;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
};

static void set_message(struct message *m, void *data, size_t len)
{
	*m = (struct message){.data = {data, len}};
	m->header.msg_iov = &m->data;
	m->header.msg_iovlen = 1;
	m->header.msg_control = m->control.bytes;
	m->header.msg_controllen = sizeof(m->control.bytes);
}

bool fd_message__send(int to, const void *data, size_t len, const int *fds, size_t nr_fds)
{
	struct cmsghdr *control;
	struct message m;

	set_message(&m, (void *)(uintptr_t)data, len);
	m.header.msg_controllen = nr_fds ? CMSG_SPACE(nr_fds * sizeof(int)) : 0;
	control = CMSG_FIRSTHDR(&m.header);
	if (control) {
		*control = (struct cmsghdr){CMSG_LEN(nr_fds * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(control), fds, nr_fds * sizeof(int));
	}
	return sendmsg(to, &m.header, MSG_NOSIGNAL) == (ssize_t)len;
}

bool fd_message__receive(int from, void *data, size_t len, int fds[2])
{
	struct cmsghdr *control;
	struct message m;
	ssize_t received;

	fds[0] = fds[1] = -1;
	set_message(&m, data, len);
	received = recvmsg(from, &m.header, MSG_CMSG_CLOEXEC);
	if (received < 0)
		return false;
	control = CMSG_FIRSTHDR(&m.header);
	if (control && control->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(control), control->cmsg_len - CMSG_LEN(0));
	if (received == (ssize_t)len)
		return true;
	for (size_t i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
	return false;
}
