// SPDX-License-Identifier: GPL-2.0-only
#include "files/foreign_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#define LINKS_MAX 40

static foreign_file_visit_fn watcher;

/* The way to a file: @done is the part that was walked and has no links in it; @rest begins with a slash or
 * is empty. */
struct walk {
	int root;
	unsigned int links;
	char done[PATH_MAX], rest[PATH_MAX];
};

void foreign_file__watch(foreign_file_visit_fn visit)
{
	watcher = visit;
}

int foreign_file__visit(int fd, const char *path)
{
	struct statx st;

	if (!watcher)
		return 0;
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st))
		return -errno;
	return watcher(makedev(st.stx_dev_major, st.stx_dev_minor), path);
}

int foreign_file__again(void)
{
	return watcher ? watcher(FOREIGN_FILE_SAME, NULL) : 0;
}

void foreign_file__leave(void)
{
	if (watcher)
		(void)watcher(FOREIGN_FILE_OURS, NULL);
}

/* Opens for reading the file that @found stands for, also if another file has its name by now. */
static int reopen(int found, int flags)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	return fd < 0 ? -errno : fd;
}

int foreign_file__reopen(int found)
{
	struct stat st;
	int err = foreign_file__visit(found, NULL);

	if (err)
		return err;
	if (fstat(found, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? reopen(found, 0) : FOREIGN_FILE_NOT_REGULAR;
}

/* Replaces *@at by a descriptor of @done. If the last name is that of a link, the descriptor stands for the
 * link. */
static int open_done(const struct walk *w, int *at)
{
	const struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};

	cleanup__close(at);
	*at = (int)syscall(SYS_openat2, w->root, *w->done ? w->done : "/", &how, sizeof(how));
	return *at < 0 ? -errno : foreign_file__visit(*at, w->done);
}

static void drop_last(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash)
		*slash = '\0';
}

static int follow_link(struct walk *w, int *at)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t len = readlinkat(*at, "", target, sizeof(target) - 1);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	memcpy(rest, w->rest, sizeof(rest));
	if (snprintf(w->rest, sizeof(w->rest), "/%s%s", target, rest) >= (int)sizeof(w->rest))
		return -ENAMETOOLONG;
	drop_last(w);
	if (*target == '/')
		*w->done = '\0';
	return open_done(w, at);
}

static bool is_link(int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) && S_ISLNK(st.stx_mode);
}

/* Walks one name further. */
static int walk_on(struct walk *w, bool follow, int *at)
{
	const char *name = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(name, "/"), done = strlen(w->done);
	int err;

	if (len == 2 && !memcmp(name, "..", len))
		drop_last(w);
	else if ((len != 1 || *name != '.') && snprintf(w->done + done, sizeof(w->done) - done, "/%.*s",
							(int)len, name) >= (int)(sizeof(w->done) - done))
		return -ENAMETOOLONG;
	memmove(w->rest, name + len, strlen(name + len) + 1);
	err = open_done(w, at);
	if (err || !is_link(*at) || (!follow && !*w->rest))
		return err;
	return follow_link(w, at);
}

static int find(int root, const char *path, bool follow)
{
	struct walk w;
	_cleanup_close_ int at = -1;
	int err;

	w.root = root;
	w.links = 0;
	*w.done = '\0';
	if (snprintf(w.rest, sizeof(w.rest), "%s", path) >= (int)sizeof(w.rest))
		return -ENAMETOOLONG;
	err = open_done(&w, &at);
	while (!err && w.rest[strspn(w.rest, "/")])
		err = walk_on(&w, follow, &at);
	return err ? err : steal_fd(&at);
}

int foreign_file__find(int root, const char *path)
{
	return find(root, path, true);
}

int foreign_file__open(int root, const char *path)
{
	_cleanup_close_ int found = foreign_file__find(root, path);

	return found < 0 ? found : foreign_file__reopen(found);
}

/* Finds a file in our own root directory. */
static int find_here(const char *path, bool follow)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? -errno : find(root, path, follow);
}

int foreign_file__open_here(const char *path)
{
	_cleanup_close_ int found = find_here(path, false);

	return found < 0 ? found : foreign_file__reopen(found);
}

int foreign_file__find_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/proc/%u/map_files/%llx-%llx", root, pid,
		     (unsigned long long)start, (unsigned long long)end) >= PATH_MAX)
		return -ENAMETOOLONG;
	/* Only the kernel is asked here, and no device until the file has been found. */
	if (watcher && watcher(0, NULL))
		return -ETIMEDOUT;
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int foreign_file__open_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end)
{
	_cleanup_close_ int found = foreign_file__find_mapped(root, pid, start, end);

	return found < 0 ? found : foreign_file__reopen(found);
}

static int stat_here(const char *path, bool follow, struct stat *st)
{
	_cleanup_close_ int found = find_here(path, follow);

	if (found < 0)
		return found;
	return fstat(found, st) ? -errno : 0;
}

int foreign_file__stat(const char *path, struct stat *st)
{
	return stat_here(path, true, st);
}

/* Sets errno, at which glob(3) looks. */
static int or_errno(int err)
{
	errno = -err;
	return err ? -1 : 0;
}

static int glob_stat(const char *path, struct stat *st)
{
	return or_errno(stat_here(path, true, st));
}

static int glob_lstat(const char *path, struct stat *st)
{
	return or_errno(stat_here(path, false, st));
}

static void *glob_opendir(const char *path)
{
	_cleanup_close_ int found = find_here(path, true);
	int fd = found < 0 ? found : reopen(found, O_DIRECTORY);
	DIR *dir;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

static struct dirent *glob_readdir(void *dir)
{
	return readdir(dir);
}

static void glob_closedir(void *dir)
{
	closedir(dir);
}

int foreign_file__glob(const char *pattern, int flags, glob_t *found)
{
	*found = (glob_t){
		.gl_opendir = glob_opendir,
		.gl_readdir = glob_readdir,
		.gl_closedir = glob_closedir,
		.gl_stat = glob_stat,
		.gl_lstat = glob_lstat,
	};
	return glob(pattern, flags | GLOB_ALTDIRFUNC, NULL, found);
}

int foreign_file__read(int fd, size_t max, struct buf *b)
{
	char chunk[1 << 16];
	off_t at = 0;
	ssize_t n;
	int err;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		at += n;
		if ((size_t)at > max)
			return -EFBIG;
		buf__add(b, chunk, (size_t)n);
		err = buf__error(b);
		if (!err)
			err = foreign_file__again();
		if (err)
			return err;
	}
	return n < 0 ? -errno : buf__error(b);
}
