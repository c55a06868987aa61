// SPDX-License-Identifier: GPL-2.0-only
/* The commands that are run after snapshots: in order, each with its own environment, and not without end. */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "check.h"
#include "snapshot/snapshot_exec.h"

#define SKIPPED 3

static char dir[] = "/tmp/auxbpf-exec-XXXXXX";

static bool is_there(const char *name)
{
	struct stat st;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !stat(path, &st);
}

static void touch(const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fclose(f))
		exit(1);
}

/* The lines are the numbers from 0 on: how many there are. */
static int count_lines(void)
{
	char path[128], line[128], want[128];
	int nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/out", dir);
	f = fopen(path, "r");
	if (!f)
		return -1;
	for (; fgets(line, sizeof(line), f); nr++) {
		snprintf(want, sizeof(want), "%s/%d exit code != 0\n", dir, nr);
		CHECK_STREQ(line, want);
	}
	fclose(f);
	return nr;
}

/* The first one runs until all are asked for; behind it some find no place. */
static void test_queue(void)
{
	struct snapshot_exec *exec;
	char command[512], path[64];
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	snprintf(command, sizeof(command),
		 "touch %s/begun; while [ ! -e %s/go ]; do sleep 0.01; done; "
		 "echo \"$AUXBPF_SNAPSHOT $AUXBPF_RULE\" >>%s/out",
		 dir, dir, dir);
	setenv("AUXBPF_SNAPSHOT", "of another one", 1);
	if (!CHECK_EQ(snapshot_exec__new(command, &exec), 0))
		return;
	for (int i = 0; i < 1 + SNAPSHOT_EXEC_MAX + SKIPPED; i++) {
		snprintf(path, sizeof(path), "%d", i);
		touch(path);
		snapshot_exec__run(exec, fd, path, "exit code != 0");
		while (!i && !is_there("begun"))
			usleep(1000);
	}
	CHECK_EQ(snapshot_exec__skipped(exec), SKIPPED);
	touch("go");
	snapshot_exec__free(exec);
	CHECK_EQ(count_lines(), 1 + SNAPSHOT_EXEC_MAX);
	close(fd);
}

/* The process that runs the commands has closed what we opened: a pipe ends when we close it. */
static void test_descriptors(void)
{
	struct pollfd end = {.events = POLLIN};
	struct snapshot_exec *exec;
	int fds[2];

	if (!CHECK(!pipe2(fds, O_CLOEXEC)) || !CHECK_EQ(snapshot_exec__new("true", &exec), 0))
		return;
	close(fds[1]);
	end.fd = fds[0];
	CHECK_EQ(poll(&end, 1, 10000), 1);
	snapshot_exec__free(exec);
	close(fds[0]);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	log__set_level(LOG_ERROR);
	test_descriptors();
	test_queue();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : check__done();
}
