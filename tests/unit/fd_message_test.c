// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "files/fd_message.h"

/* The lowest descriptor that is free: it is the same again where nothing has been left open. */
static int lowest_free(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static void test_descriptors(const int ends[2])
{
	const int sent[2] = {STDIN_FILENO, STDERR_FILENO};
	char text[4] = "";
	int fds[2];

	for (size_t nr = 0; nr <= 2; nr++) {
		CHECK(fd_message__send(ends[0], "abc", 4, sent, nr));
		CHECK(fd_message__receive(ends[1], text, sizeof(text), fds));
		CHECK_STREQ(text, "abc");
		for (size_t i = 0; i < 2; i++) {
			CHECK_EQ(fds[i] >= 0, i < nr);
			if (fds[i] < 0)
				continue;
			CHECK(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
			close(fds[i]);
		}
	}
}

/* A message that is none of those expected leaves nothing open. */
static void test_wrong_length(const int ends[2])
{
	const int sent[2] = {STDIN_FILENO, STDERR_FILENO};
	const int before = lowest_free();
	char text[4];
	int fds[2];

	CHECK(fd_message__send(ends[0], "abc", 3, sent, 2));
	CHECK(!fd_message__receive(ends[1], text, sizeof(text), fds));
	CHECK_EQ(fds[0], -1);
	CHECK_EQ(fds[1], -1);
	CHECK_EQ(lowest_free(), before);
}

int main(void)
{
	int ends[2];

	if (!CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0))
		return check__done();
	test_descriptors(ends);
	test_wrong_length(ends);
	close(ends[0]);
	close(ends[1]);
	return check__done();
}
