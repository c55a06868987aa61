// SPDX-License-Identifier: GPL-2.0-only
/* What is said reaches stderr a line at a time: others write there too. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "check.h"

/* Each write arrives as one message. */
static void check_said(int fd, const char *wanted)
{
	char text[4096];
	ssize_t len = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[len > 0 ? len : 0] = '\0';
	CHECK(!strcmp(text, wanted));
	CHECK(recv(fd, text, sizeof(text), MSG_DONTWAIT) < 0);
}

static void check_lines(int fd)
{
	char long_text[1500];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	log_info("%d of %s", 3, "four");
	check_said(fd, "auxbpf: 3 of four\n");
	log_warn("beware");
	check_said(fd, "auxbpf: warning: beware\n");
	log_debug("not wanted");
	check_said(fd, "");
	log_err("%s", long_text);
	check_said(fd, strcat(strcat((char[1600]){"auxbpf: "}, long_text), "\n"));
}

int main(void)
{
	int fds[2], old = dup(STDERR_FILENO);

	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
	CHECK(dup2(fds[1], STDERR_FILENO) == STDERR_FILENO);
	check_lines(fds[0]);
	dup2(old, STDERR_FILENO);
	return check__done();
}
