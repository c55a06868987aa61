// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_storm DIR COUNT ROUNDS: maps one executable page COUNT times, of a file in DIR whose path is almost as long as
 * paths may be, so that none of the mappings can be joined with the next; makes DIR/mapped, waits for DIR/go; does it
 * again ROUNDS times, in the place of what was there; makes DIR/done, and waits for its end. Any user may do so.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

#define NAME_LEN 250
#define DEPTH 15

static int open_deep(void)
{
	char name[NAME_LEN + 1];
	int fd;

	memset(name, 'd', NAME_LEN);
	name[NAME_LEN] = '\0';
	for (int i = 0; i < DEPTH; i++)
		REQUIRE(!mkdir(name, 0700) && !chdir(name));
	fd = open("file", O_RDWR | O_CREAT, 0700);
	REQUIRE(fd >= 0 && !ftruncate(fd, sysconf(_SC_PAGESIZE)));
	return fd;
}

static void map_all(char *at, long count, int fd)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (long i = 0; i < count; i++)
		REQUIRE(mmap(at + (size_t)i * size, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			     0) != MAP_FAILED);
}

static void tell(int dir, const char *name)
{
	REQUIRE(openat(dir, name, O_WRONLY | O_CREAT, 0600) >= 0);
}

int main(int argc, char **argv)
{
	long count = program__arg(argc, argv, 2, 1000), rounds = program__arg(argc, argv, 3, 1);
	size_t len = (size_t)count * (size_t)sysconf(_SC_PAGESIZE);
	int dir = argc > 1 ? open(argv[1], O_PATH | O_DIRECTORY) : -1, fd;
	char *at = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	REQUIRE(dir >= 0 && !fchdir(dir) && at != MAP_FAILED);
	fd = open_deep();
	map_all(at, count, fd);
	tell(dir, "mapped");
	while (faccessat(dir, "go", F_OK, 0))
		usleep(10000);
	for (long i = 0; i < rounds; i++)
		map_all(at, count, fd);
	tell(dir, "done");
	for (;;)
		pause();
}
