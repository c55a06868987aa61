// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/file_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/log.h"
#include "kernel/build_ids.h"
#include "kernel/foreign_file.h"
#include "kernel/stage.h"

/* The helper's descriptor. */
#define SOCKET (STDERR_FILENO + 1)

struct request {
	enum { OPEN_MAPPED, OPEN_IN, COUNT, COPY } kind;
	uint32_t pid;
	uint64_t start, end, max;
	off_t pos;
	struct build_id id;
	char name[PATH_MAX]; /* or the root of /proc */
};

struct answer {
	int err; /* or how many bytes were copied, up to @pos */
	off_t pos;
	uint64_t bytes;
	struct build_id id;
};

/* Up to two descriptors go with a message. */
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

static bool send_with(int to, const void *data, size_t len, const int *fds, size_t nr_fds)
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

/* @fds that did not come are -1. */
static bool receive_with(int from, void *data, size_t len, int fds[2])
{
	struct cmsghdr *control;
	struct message m;

	fds[0] = fds[1] = -1;
	set_message(&m, data, len);
	if (recvmsg(from, &m.header, MSG_CMSG_CLOEXEC) != (ssize_t)len)
		return false;
	control = CMSG_FIRSTHDR(&m.header);
	if (control && control->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(control), control->cmsg_len - CMSG_LEN(0));
	return true;
}

/* @found if it has an ELF file's id, which is told, and is @wanted if that is asked for. */
static int check_found(int found, const struct build_id *wanted, struct build_id *id)
{
	_cleanup_close_ int fd = found < 0 ? found : foreign_file__reopen(found);

	if (fd < 0)
		return fd;
	if (build_id__read_elf(fd, id))
		*id = (struct build_id){0};
	return !wanted || build_id__equals(id, wanted) ? 0 : -ENOENT;
}

/* All that asks the file's system is done here: to look for holes does, too. */
static int count_or_copy(const struct request *request, const int fds[2], struct answer *answer)
{
	_cleanup_close_ int from = foreign_file__reopen(fds[0]);

	if (from < 0)
		return from;
	if (request->kind == COUNT)
		return stage__data_bytes(from, &answer->bytes);
	answer->pos = request->pos;
	return stage__copy_some(from, fds[1], &answer->pos, request->max);
}

static bool opens(const struct request *request)
{
	return request->kind == OPEN_MAPPED || request->kind == OPEN_IN;
}

/* A descriptor, how much was copied, or a negative errno. */
static int serve_one(const struct request *request, const int fds[2], struct answer *answer)
{
	const struct build_id *wanted = request->kind == OPEN_IN ? &request->id : NULL;
	_cleanup_close_ int found = -1;
	int err;

	if (!opens(request))
		return count_or_copy(request, fds, answer);
	found = wanted ? foreign_file__find(fds[0], request->name)
		       : foreign_file__find_mapped(request->name, request->pid, request->start, request->end);
	err = check_found(found, wanted, &answer->id);
	return err < 0 ? err : steal_fd(&found);
}

/*
 * The helper has nothing of ours but its socket: who is given up must not keep a trace or a file alive. A message of a
 * library must not get into a file that is copied.
 */
static bool drop_files(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int standard = 0; standard < SOCKET; standard++)
		if (dup2(null, standard) < 0)
			return false;
	return dup2(fd, SOCKET) == SOCKET && !close_range(SOCKET + 1, ~0u, 0);
}

/*
 * Signals are blocked, or not, as in the thread that asks: the terminal's reach the helper as well, and must not end it
 * before that thread.
 */
static _Noreturn void serve(int fd)
{
	struct request request;
	int fds[2];

	prctl(PR_SET_NAME, "auxbpf-files");
	if (!drop_files(fd))
		_exit(EXIT_FAILURE);
	while (receive_with(SOCKET, &request, sizeof(request), fds)) {
		struct answer answer = {0};
		int result = serve_one(&request, fds, &answer);

		answer.err = result;
		if (!send_with(SOCKET, &answer, sizeof(answer), &result, opens(&request) && result >= 0))
			break;
		if (opens(&request) && result >= 0)
			close(result);
		cleanup__close(&fds[0]);
		cleanup__close(&fds[1]);
	}
	_exit(EXIT_SUCCESS);
}

/* The child of a child: nobody has to wait for it. */
static int start(struct file_helper *helper)
{
	int pair[2], status = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid) {
		pid = fork();
		if (!pid)
			serve(pair[1]);
		_exit(pid < 0);
	}
	close(pair[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || status) {
		close(pair[0]);
		return -EAGAIN;
	}
	helper->fd = pair[0];
	return 0;
}

static bool is_lost(const struct file_helper *helper, uint64_t dev)
{
	for (unsigned int i = 0; i < helper->nr_lost; i++)
		if (dev && helper->lost[i] == dev)
			return true;
	return helper->nr_lost == FILE_HELPER_LOST_MAX;
}

static void give_up(struct file_helper *helper, uint64_t dev, const char *name)
{
	close(steal_fd(&helper->fd));
	helper->lost[helper->nr_lost++] = dev;
	log_warn("%s is left out: its file system has not answered for %d ms", name, helper->timeout);
	if (helper->nr_lost == FILE_HELPER_LOST_MAX)
		log_warn("no more files are looked into: %u file systems have not answered", helper->nr_lost);
}

/* Asks for it and waits. @dev may be 0, @name is for messages. */
static int ask(struct file_helper *helper, const struct request *request, const int *fds, size_t nr_fds,
	       uint64_t dev, const char *name, struct answer *answer, int *fd)
{
	struct pollfd wait = {.events = POLLIN};
	int got[2], n;

	*fd = -1;
	if (is_lost(helper, dev))
		return -ETIMEDOUT;
	if (helper->fd < 0) {
		int err = start(helper);

		if (err)
			return err;
	}
	wait.fd = helper->fd;
	if (!send_with(helper->fd, request, sizeof(*request), fds, nr_fds)) {
		close(steal_fd(&helper->fd));
		return -EPIPE;
	}
	while ((n = poll(&wait, 1, helper->timeout)) < 0 && errno == EINTR)
		;
	if (!n) {
		give_up(helper, dev, name);
		return -ETIMEDOUT;
	}
	if (!receive_with(helper->fd, answer, sizeof(*answer), got)) {
		close(steal_fd(&helper->fd));
		return -EPIPE;
	}
	*fd = got[0];
	return answer->err;
}

void file_helper__init(struct file_helper *helper, int timeout)
{
	*helper = (struct file_helper){.fd = -1, .timeout = timeout};
}

void file_helper__release(struct file_helper *helper)
{
	cleanup__close(&helper->fd);
	helper->fd = -1;
}

int file_helper__open_mapped(struct file_helper *helper, const char *root, uint32_t pid,
			     const struct record_mmap *map, struct build_id *id)
{
	struct request request = {OPEN_MAPPED, pid, map->start, map->start + map->len};
	struct answer answer = {0};
	int err, fd;

	*id = (struct build_id){0};
	if (snprintf(request.name, sizeof(request.name), "%s", root) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = ask(helper, &request, NULL, 0, makedev(map->maj, map->min), map->name, &answer, &fd);
	if (err < 0)
		return err;
	*id = answer.id;
	return fd;
}

int file_helper__open_in(struct file_helper *helper, int root, const char *name, const struct build_id *id)
{
	struct request request = {.kind = OPEN_IN, .id = *id};
	struct answer answer;
	int err, fd;

	if (snprintf(request.name, sizeof(request.name), "%s", name) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = ask(helper, &request, &root, 1, 0, name, &answer, &fd);
	return err < 0 ? err : fd;
}

int file_helper__data_bytes(struct file_helper *helper, int from, uint64_t *bytes)
{
	const struct request request = {.kind = COUNT};
	struct answer answer = {0};
	int none;
	int err = ask(helper, &request, &from, 1, 0, "a program", &answer, &none);

	*bytes = answer.bytes;
	return err;
}

int file_helper__copy(struct file_helper *helper, int from, int to, uint64_t max, uint64_t *bytes)
{
	struct request request = {.kind = COPY, .max = max};
	const int fds[2] = {from, to};
	struct answer answer;
	int n, none;

	while ((n = ask(helper, &request, fds, 2, 0, "a program", &answer, &none)) > 0) {
		request.pos = answer.pos;
		request.max -= (unsigned int)n;
		*bytes += (unsigned int)n;
	}
	return n;
}
