// SPDX-License-Identifier: GPL-2.0-only
/* Messages to a service manager: the test is one, at a path and at an abstract name. */
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"
#include "summary/notify.h"

/* A socket at @name of @len bytes, of which the first may be a NUL. */
static int listen_at(const char *name, size_t len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, name, len);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)))
		perror("bind");
	return fd;
}

static void check_received(int fd, const char *state)
{
	char text[64] = "";

	CHECK_EQ(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), (long long)strlen(state));
	CHECK_STREQ(text, state);
}

static void test_path(const char *dir)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/notify", dir);
	fd = listen_at(path, strlen(path));
	setenv("NOTIFY_SOCKET", path, 1);
	CHECK_EQ(notify__send("READY=1\nSTATUS=armed"), 0);
	check_received(fd, "READY=1\nSTATUS=armed");
	close(fd);
	CHECK_EQ(notify__send("STOPPING=1"), -ECONNREFUSED);
	unlink(path);
	CHECK_EQ(notify__send("STOPPING=1"), -ENOENT);
}

static void test_abstract(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "@auxbpf-notify-test-%d", (int)getpid());
	setenv("NOTIFY_SOCKET", name, 1);
	name[0] = '\0';
	fd = listen_at(name, 1 + strlen(name + 1));
	CHECK_EQ(notify__send("READY=1"), 0);
	check_received(fd, "READY=1");
	close(fd);
}

static void test_nobody(void)
{
	char longer[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];

	unsetenv("NOTIFY_SOCKET");
	CHECK_EQ(notify__send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	CHECK_EQ(notify__send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "relative", 1);
	CHECK_EQ(notify__send("READY=1"), -EAFNOSUPPORT);
	setenv("NOTIFY_SOCKET", "@", 1);
	CHECK_EQ(notify__send("READY=1"), -EINVAL);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	setenv("NOTIFY_SOCKET", longer, 1);
	CHECK_EQ(notify__send("READY=1"), -EINVAL);
}

int main(void)
{
	char dir[] = "/tmp/auxbpf-notify-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	test_path(dir);
	test_abstract();
	test_nobody();
	rmdir(dir);
	return check__done();
}
