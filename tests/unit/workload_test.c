// SPDX-License-Identifier: GPL-2.0-only
/* The command that is traced: what its start leaves behind when it fails. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "session/workload.h"

#define FILES 64

static int count_open(void)
{
	int nr = 0;

	for (int fd = 0; fd < FILES; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* With room for ever more files: whichever is the one that cannot be opened, all before it are closed. */
static void test_no_room(void)
{
	char *const argv[] = {(char[]){"true"}, NULL};
	const int before = count_open();
	struct workload *w = NULL;
	int err = -EMFILE;

	for (int room = 0; err == -EMFILE && room < FILES / 2; room++) {
		const struct rlimit limit = {(rlim_t)(before + room), FILES};

		CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
		err = workload__new(argv, &w);
		if (err)
			CHECK_EQ(count_open(), before);
		else
			CHECK(room > 3);
	}
	CHECK_EQ(err, 0);
	workload__free(w);
	CHECK_EQ(count_open(), before);
}

int main(void)
{
	for (int fd = 3; fd < FILES; fd++)
		close(fd);
	test_no_room();
	return check__done();
}
