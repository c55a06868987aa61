// SPDX-License-Identifier: GPL-2.0-only
/*
 * two_threads: prints its process id and the id of its second thread, and waits for the end of its standard input.
 * Then the first thread calls getsid(2) 3 times, the second 5 times, and both end. So it can be told which of them
 * was seen.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

static void call(int n)
{
	for (int i = 0; i < n; i++)
		REQUIRE(syscall(SYS_getsid, 0) >= 0);
}

static void *second(void *fd)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	char c;

	printf("%d %d\n", (int)getpid(), (int)tid);
	fflush(stdout);
	REQUIRE(!read(*(int *)fd, &c, 1));
	call(5);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int fds[2];
	char c;

	REQUIRE(!pipe(fds));
	REQUIRE(!pthread_create(&thread, NULL, second, &fds[0]));
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	call(3);
	REQUIRE(!close(fds[1]));
	REQUIRE(!pthread_join(thread, NULL));
	return EXIT_SUCCESS;
}
