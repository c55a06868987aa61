// SPDX-License-Identifier: GPL-2.0-only
/*
 * hanging_fs DIR FLAG [PROGRAM MS]: mounts a file system of its own (FUSE) on DIR, in a mount namespace of its
 * own, with one file, which it maps to execute it, and makes it its root directory. Then its server takes all
 * requests and answers none, as that of a machine that is gone; FLAG is made, and it waits for its end. With
 * PROGRAM the file has its bytes, and all is answered, but each read of it only after MS milliseconds.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

#define FILE_NODE 2
#define PAGE 4096
#define REQUEST_MAX (1 << 17)

static volatile bool *hangs;
static int program = -1;
static unsigned int delay; /* ms */
static uint64_t size = PAGE;

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? size : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
	};
}

static void answer(int fd, const struct fuse_in_header *in, int err, const void *data, size_t len)
{
	static char out[sizeof(struct fuse_out_header) + REQUEST_MAX];
	const struct fuse_out_header header = {(uint32_t)(sizeof(header) + len), err, in->unique};

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), data, len);
	REQUIRE(write(fd, out, sizeof(header) + len) == (ssize_t)(sizeof(header) + len));
}

static void answer_read(int fd, const struct fuse_in_header *in)
{
	const struct fuse_read_in *read_in = (const struct fuse_read_in *)(const void *)(in + 1);
	static char bytes[REQUEST_MAX];
	ssize_t len = PAGE;

	if (*hangs)
		usleep(delay * 1000);
	if (program >= 0)
		len = pread(program, bytes, read_in->size, (off_t)read_in->offset);
	REQUIRE(len >= 0);
	answer(fd, in, 0, bytes, (size_t)len);
}

/* What it says holds for no time at all: the kernel asks again each time. */
static void serve_one(int fd, const struct fuse_in_header *in)
{
	const struct fuse_init_out init = {
		.major = 7, .minor = 31, .max_readahead = REQUEST_MAX, .max_write = PAGE};
	const struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE)};
	const struct fuse_attr_out attr = {.attr = attributes(in->nodeid)};
	const struct fuse_open_out opened = {.fh = 1};

	switch (in->opcode) {
	case FUSE_INIT:
		return answer(fd, in, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return answer(fd, in, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return answer(fd, in, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return answer(fd, in, 0, &opened, sizeof(opened));
	case FUSE_READ:
		return answer_read(fd, in);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		return;
	default:
		return answer(fd, in, -ENOSYS, NULL, 0);
	}
}

/* Without an answer whoever has the file open could not end, and the server ends after it. */
static bool ends(const struct fuse_in_header *in)
{
	return in->opcode == FUSE_FLUSH || in->opcode == FUSE_RELEASE;
}

static void serve(int fd)
{
	static char request[REQUEST_MAX] __attribute__((aligned(8)));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0)
		if (!*hangs || delay || ends((const struct fuse_in_header *)(const void *)request))
			serve_one(fd, (const struct fuse_in_header *)(const void *)request);
	exit(EXIT_SUCCESS);
}

static void open_program(const char *path, const char *ms)
{
	struct stat st;

	program = open(path, O_RDONLY);
	REQUIRE(program >= 0 && !fstat(program, &st));
	size = (uint64_t)st.st_size;
	delay = (unsigned int)atoi(ms);
}

int main(int argc, char **argv)
{
	int fd = open("/dev/fuse", O_RDWR), file;
	char options[128], path[4096];

	REQUIRE((argc == 3 || argc == 5) && fd >= 0);
	if (argc == 5)
		open_program(argv[3], argv[4]);
	hangs = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(hangs != MAP_FAILED && !unshare(CLONE_NEWNS) &&
		!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", fd);
	REQUIRE(!mount("hanging", argv[1], "fuse.hanging", MS_NOSUID, options));
	if (!fork())
		serve(fd);
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	file = open(path, O_RDONLY);
	REQUIRE(file >= 0);
	REQUIRE(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED);
	/* FLAG is found from where it works, which is still outside. */
	REQUIRE(!chroot(argv[1]));
	*hangs = true;
	REQUIRE(open(argv[2], O_WRONLY | O_CREAT, 0600) >= 0);
	for (;;)
		pause();
}
