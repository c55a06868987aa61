// SPDX-License-Identifier: GPL-2.0-only
#include "files/file_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/own_processes.h"
#include "base/privileges.h"
#include "files/build_ids.h"
#include "files/fd_message.h"
#include "files/foreign_file.h"
#include "files/stage.h"

/* The helper's only descriptor besides the standard ones. */
#define SOCKET (STDERR_FILENO + 1)

/* A helper may go from one step to the next for so long before it answers, ns. */
#define WORK_MAX 60000000000ull
/* A helper works if it ran on a CPU, or waited for one, for at least so long during a wait for its answer,
 * ns. */
#define BUSY_MIN 1000000ull

#define CHUNK 65536u

struct request {
	enum { OPEN_MAPPED, OPEN_IN, COUNT, COPY } kind;
	uint32_t pid;
	uint64_t start, end, max;
	off_t pos;
	struct build_id id;
	char name[PATH_MAX]; /* the file's, or the root directory of /proc */
};

struct answer {
	int err; /* negative errno; 0; or for COPY the bytes that were copied, up to @pos */
	off_t pos;
	uint64_t bytes;
	struct build_id id;
	size_t fds, notes; /* of an errand: how many, with @bytes; they follow this message */
};

/* Reads the build id of the file @found into @id, of size 0 if it has none. -ENOENT if @wanted is given and
 * is another id. */
static int check_found(int found, const struct build_id *wanted, struct build_id *id)
{
	_cleanup_close_ int fd = found < 0 ? found : foreign_file__reopen(found);

	if (fd < 0)
		return fd;
	if (build_id__read_elf(fd, id))
		*id = (struct build_id){0};
	return !wanted || build_id__equals(id, wanted) ? 0 : -ENOENT;
}

/* All that asks the file's system is done by the helper, and looking for holes asks it, too. */
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

/* Returns a descriptor, the number of bytes that were copied, or a negative errno. */
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
 * Closes all our descriptors but the socket: a helper that is given up must not keep a trace or a file open.
 * The standard ones become /dev/null, so that a message of a library does not get into a file that is copied.
 */
static bool drop_files(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int standard = 0; standard < SOCKET; standard++)
		if (dup2(null, standard) < 0)
			return false;
	return dup2(fd, SOCKET) == SOCKET && !close_range(SOCKET + 1, ~0u, 0);
}

static _Noreturn void leave(int status)
{
	own_processes__leave();
	_exit(status);
}

/* Helpers read what strangers have made, so a helper that cannot drop its privileges ends. */
static void drop_privileges(void)
{
	if (privileges__limit(PRIVILEGES_FILES))
		leave(EXIT_FAILURE);
}

/*
 * Serves requests. The helper has the signal mask of the thread that asks: a signal of the terminal reaches
 * it, too, and must not end it before that thread.
 */
static _Noreturn void serve(struct file_watch *watch)
{
	struct request request;
	int fds[2];

	while (fd_message__receive(SOCKET, &request, sizeof(request), fds)) {
		struct answer answer = {0};
		int result;

		file_watch__rest(watch);
		result = serve_one(&request, fds, &answer);
		file_watch__rest(watch);
		answer.err = result;
		if (!fd_message__send(SOCKET, &answer, sizeof(answer), &result,
				      opens(&request) && result >= 0))
			break;
		if (opens(&request) && result >= 0)
			close(result);
		cleanup__close(&fds[0]);
		cleanup__close(&fds[1]);
	}
	leave(EXIT_SUCCESS);
}

static bool send_bytes(const struct buf *b)
{
	bool sent = true;

	for (size_t at = 0; sent && at < b->len; at += CHUNK)
		sent = fd_message__send(SOCKET, b->data + at, b->len - at < CHUNK ? b->len - at : CHUNK, NULL,
					0);
	return sent;
}

static _Noreturn void do_errand(struct file_watch *watch, file_errand_fn fn, void *ctx)
{
	struct file_errand found = {0};
	struct answer answer = {0};
	const int *fds;
	bool sent;

	/* Keep quiet: another thread may have been in the middle of a log message at fork(). */
	log__set_level(LOG_ERROR);
	file_watch__rest(watch);
	answer.err = fn(ctx, &found);
	file_watch__rest(watch);
	answer.err = answer.err ?: buf__error(&found.bytes) ?: buf__error(&found.fds);
	answer.bytes = found.bytes.len;
	answer.notes = found.notes.len;
	answer.fds = found.fds.len / sizeof(*fds);
	fds = (const int *)(const void *)found.fds.data;
	sent = fd_message__send(SOCKET, &answer, sizeof(answer), NULL, 0);
	for (size_t i = 0; sent && i < answer.fds; i++)
		sent = fd_message__send(SOCKET, "", 1, &fds[i], 1);
	leave(sent && send_bytes(&found.bytes) && send_bytes(&found.notes) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The socket of the process that starts helpers; -1: helpers are copies of this process. */
static int nursery = -1;

static _Noreturn void be_helper(struct file_watch *watch, int fd, file_errand_fn fn, void *ctx)
{
	prctl(PR_SET_NAME, "auxbpf-files");
	if (!drop_files(fd))
		leave(EXIT_FAILURE);
	drop_privileges();
	file_watch__serve(watch);
	if (fn)
		do_errand(watch, fn, ctx);
	serve(watch);
}

/* Starts a helper for each message. Signals of the terminal are blocked: they are for the process that asks,
 * whose end ends these. */
static _Noreturn void start_helpers(int fd)
{
	struct file_watch *watch;
	sigset_t all;
	char byte;
	int fds[2];

	prctl(PR_SET_NAME, "auxbpf-files");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	/* Nobody waits for the helpers. */
	signal(SIGCHLD, SIG_IGN);
	if (!drop_files(fd))
		leave(EXIT_FAILURE);
	drop_privileges();
	while (fd_message__receive(SOCKET, &byte, 1, fds)) {
		uint64_t since = clock__ns(CLOCK_MONOTONIC);

		if (!fork()) {
			own_processes__enter(since);
			if (file_watch__open(fds[1], &watch))
				leave(EXIT_FAILURE);
			be_helper(watch, fds[0], NULL, NULL);
		}
		cleanup__close(&fds[0]);
		cleanup__close(&fds[1]);
	}
	leave(EXIT_SUCCESS);
}

/* Forks a child of a child, for which nobody has to wait. Returns true in it. */
static bool fork_twice(int *err)
{
	uint64_t since = clock__ns(CLOCK_MONOTONIC);
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		own_processes__enter(since);
		pid = fork();
		if (pid)
			leave(pid < 0);
		own_processes__enter(since);
		return true;
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*err = pid < 0 || status ? -EAGAIN : 0;
	return false;
}

int file_helper__prepare(void)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	if (fork_twice(&err))
		start_helpers(pair[1]);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		nursery = pair[0];
	return err;
}

/* A helper that was given up may still write to the memory that it shares, so the next one gets its own. */
static int renew_watch(struct file_helper *helper, int *fd)
{
	struct file_watch *watch;
	int err = file_watch__new(helper->watch, fd, &watch);

	if (err)
		return err;
	file_watch__free(helper->watch);
	helper->watch = watch;
	return 0;
}

/* Starts a helper that serves requests or, with @fn, does one errand. *@ret is the socket to it. */
static int start(struct file_helper *helper, file_errand_fn fn, void *ctx, int *ret)
{
	_cleanup_close_ int shared = -1;
	int pair[2], err = renew_watch(helper, &shared);

	if (err)
		return err;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	if ((fn || nursery < 0 || !fd_message__send(nursery, "", 1, (const int[]){pair[1], shared}, 2)) &&
	    fork_twice(&err))
		be_helper(helper->watch, pair[1], fn, ctx);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		*ret = pair[0];
	return err;
}

static void tell_lost(const struct file_helper *helper, const char *name, const char *why)
{
	char path[FILE_WATCH_PATH_MAX];

	file_watch__path(helper->watch, path);
	log_warn("%s is left out: its file system %s", name ? name : path, why);
	if (file_watch__nr_lost(helper->watch) == FILE_WATCH_LOST_MAX)
		log_warn("no more files are looked into: %u file systems have not answered",
			 FILE_WATCH_LOST_MAX);
}

static void give_up(struct file_helper *helper, uint64_t dev, const char *name)
{
	uint64_t asked = file_watch__dev(helper->watch);
	char why[64];

	file_watch__lose(helper->watch, asked ? asked : dev);
	snprintf(why, sizeof(why), "has not answered for %d ms", helper->timeout);
	tell_lost(helper, name, why);
}

/*
 * Waits for a message and tells whether there is one. A helper is alive while it writes to a slow disk of
 * ours, goes from one step to the next, or works.
 */
static bool await(const struct file_helper *helper, int fd)
{
	const uint64_t until = clock__ns(CLOCK_MONOTONIC) + WORK_MAX;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	uint64_t steps, busy;
	int n;

	do {
		steps = file_watch__steps(helper->watch);
		busy = file_watch__busy(helper->watch);
		while ((n = poll(&wait, 1, helper->timeout)) < 0 && errno == EINTR)
			;
		if (n)
			return true;
	} while (file_watch__is_at_ours(helper->watch) ||
		 ((steps != file_watch__steps(helper->watch) ||
		   file_watch__busy(helper->watch) > busy + BUSY_MIN) &&
		  clock__ns(CLOCK_MONOTONIC) < until));
	return false;
}

/*
 * Receives an answer. If there is none, the helper tells which device it asks; if it does not know, @dev is
 * blamed (0: unknown). @name is for messages; NULL: use the path that the helper is looking for.
 */
static int receive(struct file_helper *helper, int from, uint64_t dev, const char *name,
		   struct answer *answer, int *fd)
{
	const unsigned int lost = file_watch__nr_lost(helper->watch);
	const uint64_t begin = clock__ns(CLOCK_MONOTONIC), free = FILE_WATCH_FREE * 1000000ull;
	const bool came = await(helper, from);
	const uint64_t took = clock__ns(CLOCK_MONOTONIC) - begin;
	int got[2];

	*fd = -1;
	helper->waited += took > free ? took - free : 0;
	if (!came) {
		give_up(helper, dev, name);
		return -ETIMEDOUT;
	}
	if (!fd_message__receive(from, answer, sizeof(*answer), got))
		return -EPIPE;
	if (lost != file_watch__nr_lost(helper->watch))
		tell_lost(helper, name, "is too slow");
	*fd = got[0];
	return 0;
}

/* Returns the device of the file that an O_PATH descriptor stands for, without asking its file system. */
static uint64_t device_of(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st))
		return 0;
	return makedev(st.stx_dev_major, st.stx_dev_minor);
}

static bool is_lost(const struct file_helper *helper, uint64_t dev)
{
	return helper->watch && file_watch__is_lost(helper->watch, dev);
}

/* Sends a request and waits for the answer. @dev may be 0, @name is for messages. */
static int ask(struct file_helper *helper, const struct request *request, const int *fds, size_t nr_fds,
	       uint64_t dev, const char *name, struct answer *answer, int *fd)
{
	int err = 0;

	*fd = -1;
	if (is_lost(helper, dev))
		return -ETIMEDOUT;
	if (helper->fd < 0)
		err = start(helper, NULL, NULL, &helper->fd);
	if (err)
		return err;
	if (fd_message__send(helper->fd, request, sizeof(*request), fds, nr_fds))
		err = receive(helper, helper->fd, dev, name, answer, fd);
	else
		err = -EPIPE;
	if (err) {
		close(steal_fd(&helper->fd));
		return err;
	}
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
	file_watch__free(steal_ptr(helper->watch));
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
	int err = ask(helper, &request, &from, 1, device_of(from), "a program", &answer, &none);

	*bytes = answer.bytes;
	return err;
}

int file_helper__copy(struct file_helper *helper, int from, int to, uint64_t max, uint64_t *bytes)
{
	struct request request = {.kind = COPY, .max = max};
	const int fds[2] = {from, to};
	const uint64_t dev = device_of(from);
	struct answer answer;
	int n, none;

	while ((n = ask(helper, &request, fds, 2, dev, "a program", &answer, &none)) > 0) {
		request.pos = answer.pos;
		request.max -= (unsigned int)n;
		*bytes += (unsigned int)n;
	}
	return n;
}

void file_errand__release(struct file_errand *errand)
{
	const int *fds = (const int *)(const void *)errand->fds.data;

	for (size_t i = 0; i < errand->fds.len / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	buf__release(&errand->bytes);
	buf__release(&errand->fds);
	buf__release(&errand->notes);
}

void file_errand__add_fd(struct file_errand *errand, int fd)
{
	buf__add(&errand->fds, &fd, sizeof(fd));
	if (buf__error(&errand->fds))
		close(fd);
}

void file_errand__note(struct file_errand *errand, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		buf__add(&errand->notes, text, strlen(text) + 1);
}

/* The helper has found all by now, so no file system has to be waited for. */
static int receive_bytes(int from, uint64_t len, struct buf *b)
{
	char chunk[CHUNK];
	int none[2];

	while (len) {
		size_t next = len < sizeof(chunk) ? (size_t)len : sizeof(chunk);

		if (!fd_message__receive(from, chunk, next, none))
			return -EPIPE;
		buf__add(b, chunk, next);
		len -= next;
	}
	return buf__error(b);
}

static int receive_errand(struct file_helper *helper, int from, struct file_errand *ret)
{
	struct answer answer;
	int got[2];
	char byte;
	int err = receive(helper, from, 0, NULL, &answer, got);

	for (size_t i = 0; !err && i < answer.fds; i++) {
		if (!fd_message__receive(from, &byte, 1, got))
			return -EPIPE;
		file_errand__add_fd(ret, got[0]);
		err = buf__error(&ret->fds);
	}
	if (!err)
		err = receive_bytes(from, answer.bytes, &ret->bytes);
	if (!err)
		err = receive_bytes(from, answer.notes, &ret->notes);
	return err ? err : answer.err;
}

static void log_notes(const struct buf *notes)
{
	const char *text = (const char *)notes->data;

	for (size_t at = 0; at < notes->len; at += strlen(text + at) + 1)
		log_debug("%s", text + at);
}

int file_helper__run(struct file_helper *helper, file_errand_fn fn, void *ctx, struct file_errand *ret)
{
	int err;

	do {
		_cleanup_close_ int from = -1;

		if (is_lost(helper, 0))
			return -ETIMEDOUT;
		err = start(helper, fn, ctx, &from);
		if (!err)
			err = receive_errand(helper, from, ret);
	} while (err == -ETIMEDOUT);
	log_notes(&ret->notes);
	return err;
}
