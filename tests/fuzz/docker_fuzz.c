// SPDX-License-Identifier: GPL-2.0-only
/* The answer of docker's daemon, of which whoever serves the socket decides. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "containers/docker_socket.h"
#include "fuzz_root.h"

static struct span answer;

/* Closes only what was asked: to close with the request unread would take the answer away. */
static void *serve(void *arg)
{
	int fd = accept(*(int *)arg, NULL, NULL);
	char request[256];

	if (fd < 0 || recv(fd, request, sizeof(request), 0) <= 0)
		abort();
	(void)!send(fd, answer.data, answer.len, MSG_NOSIGNAL);
	close(fd);
	return NULL;
}

static int listen_there(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fuzz_root__put_bytes("/run/docker.sock", "", 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/docker.sock", fuzz_root__path());
	unlink(addr.sun_path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1))
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	_cleanup_buf_ struct buf text = {0};
	pthread_t server;

	if (fd < 0)
		fd = listen_there();
	answer = (struct span){data, size};
	if (pthread_create(&server, NULL, serve, &fd))
		abort();
	if (!docker_socket__containers(fuzz_root__path(), &text))
		FUZZ_CHECK(text.len && !text.data[text.len - 1] &&
			   strlen((const char *)text.data) + 1 == text.len);
	pthread_join(server, NULL);
	return 0;
}
