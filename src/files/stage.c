// SPDX-License-Identifier: GPL-2.0-only
#include "files/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/log.h"
#include "files/debug_dir.h"
#include "files/foreign_file.h"

#define PATH_OF_FD_MAX 32
#define NAME_TRIES 100

/* A copy goes by steps of so many bytes, and the process that waits for it hears of each. */
#define COPY_STEP (1u << 20)
/* So many parts between holes are counted one by one. */
#define PARTS_MAX 4096

int stage__target_in(int dirfd, const char *name, struct stage_target *ret)
{
	*ret = (struct stage_target){.dirfd = dirfd, .name = strdup(name), .shares_dir = true};
	return ret->name ? 0 : -ENOMEM;
}

void stage__target_release(struct stage_target *target)
{
	if (target->dirfd >= 0 && !target->shares_dir)
		close(target->dirfd);
	free(target->name);
	*target = (struct stage_target){.dirfd = -1};
}

int stage__open(const struct stage_target *target)
{
	int fd = openat(target->dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL)) {
		/* Without permission to make a name there, fail now and not after the capture. */
		if (faccessat(target->dirfd, ".", W_OK, AT_EACCESS))
			return -errno;
		fd = memfd_create("auxbpf", MFD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

int stage__new_file(const struct stage_target *target, int *fd)
{
	*fd = stage__open(target);
	if (*fd >= 0)
		return 0;
	log_err("cannot create a file for %s: %s", target->name, strerror(-*fd));
	return *fd;
}

int stage__write_at(int fd, uint64_t offset, struct span span)
{
	const char *data = span.data;
	size_t done = 0;

	while (done < span.len) {
		ssize_t n = pwrite(fd, data + done, span.len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

uint64_t stage__unnamed_bytes(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) || st.st_nlink ? 0 : (uint64_t)st.st_blocks * 512;
}

/*
 * Copies up to @len bytes. Blocks are shared where one file system of our own has both files and can do that.
 * Otherwise the foreign file is read and ours is written one after the other: it must be known which of them
 * takes long.
 */
static ssize_t transfer(int from, int to, off_t *pos, size_t len)
{
	_cleanup_free_ char *bytes = malloc(len);
	off_t at = *pos;
	ssize_t n;
	int err;

	foreign_file__leave();
	n = copy_file_range(from, pos, to, &at, len, 0);
	err = foreign_file__visit(from, NULL);
	if (n > 0 || err)
		return err ? err : n;
	n = bytes ? pread(from, bytes, len, *pos) : -1;
	if (n < 0)
		return -errno;
	foreign_file__leave();
	err = stage__write_at(to, (uint64_t)*pos, (struct span){bytes, (size_t)n});
	*pos += n;
	if (!err)
		err = foreign_file__visit(from, NULL);
	return err ? err : n;
}

/*
 * Finds the next part that is no hole in a file of @size bytes: from *@pos to *@end. False behind the last
 * one. A file system that does not know holes says that all is data; one of a stranger may say anything.
 */
static bool next_data(int fd, off_t size, off_t *pos, off_t *end)
{
	off_t data = lseek(fd, *pos, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		return false;
	*pos = data < *pos ? *pos : data;
	*end = lseek(fd, *pos, SEEK_HOLE);
	if (*end <= *pos || *end > size)
		*end = size;
	return *pos < size;
}

int stage__data_bytes(int from, uint64_t *bytes)
{
	struct stat st;
	off_t pos = 0, end;

	*bytes = 0;
	if (fstat(from, &st))
		return -errno;
	for (int i = 0; i < PARTS_MAX && next_data(from, st.st_size, &pos, &end); i++, pos = end)
		*bytes += (uint64_t)(end - pos);
	if (next_data(from, st.st_size, &pos, &end))
		*bytes += (uint64_t)(st.st_size - pos);
	return 0;
}

int stage__copy_some(int from, int to, off_t *pos, uint64_t max)
{
	size_t done = 0, step = max < COPY_STEP ? (size_t)max : COPY_STEP;
	struct stat st;
	off_t end;

	if (fstat(from, &st) || ftruncate(to, st.st_size))
		return -errno;
	if (!max)
		return next_data(from, st.st_size, pos, &end) ? -EFBIG : 0;
	while (done < step && next_data(from, st.st_size, pos, &end)) {
		size_t left = step - done, part = (uint64_t)(end - *pos) < left ? (size_t)(end - *pos) : left;
		ssize_t n = transfer(from, to, pos, part);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		done += (size_t)n;
	}
	return (int)done;
}

int stage__copy(int from, int to, uint64_t max, uint64_t *bytes)
{
	off_t pos = 0;
	int n;

	for (; (n = stage__copy_some(from, to, &pos, max)) > 0; *bytes += (unsigned int)n)
		max -= (unsigned int)n;
	return n;
}

/* Copies a staged file that is in memory, or that cannot be given a name. */
static int copy_to(int from, int dirfd, const char *name, mode_t mode, bool sync)
{
	_cleanup_close_ int to =
		openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	uint64_t bytes = 0;
	int err;

	if (to < 0)
		return -errno;
	err = stage__copy(from, to, UINT64_MAX, &bytes);
	if (!err && fchmod(to, mode))
		err = -errno;
	if (!err && sync)
		err = dir__sync_one(to);
	if (err)
		unlinkat(dirfd, name, 0);
	return err;
}

/* Makes @fd the file @name, so that further names of it are links and not copies. */
static void become(int fd, int dirfd, const char *name)
{
	_cleanup_close_ int named = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	/* If that fails, @fd stays the nameless file and is copied again. */
	if (named >= 0)
		dup3(named, fd, O_CLOEXEC);
}

static int link_to(int fd, int dirfd, const char *name, mode_t mode)
{
	char path[PATH_OF_FD_MAX];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fchmod(fd, mode) && !linkat(AT_FDCWD, path, dirfd, name, AT_SYMLINK_FOLLOW))
		return 0;
	return -errno;
}

/* Renames a file unless the new name exists. Where RENAME_NOREPLACE is not known, it makes a link and removes
 * the old name. */
static int rename_new(int dirfd, const char *from, const char *to)
{
	if (!renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(dirfd, from, dirfd, to, 0))
		return -errno;
	return unlinkat(dirfd, from, 0) ? -errno : 0;
}

/* Copies under a temporary name first. If this process is killed meanwhile, the next copy to @name removes
 * it. */
static int copy_and_rename(int fd, int dirfd, const char *name, mode_t mode, bool sync)
{
	char tmp[NAME_MAX + 1];
	int err;

	if (snprintf(tmp, sizeof(tmp), ".%s.new", name) >= (int)sizeof(tmp))
		return -ENAMETOOLONG;
	if (unlinkat(dirfd, tmp, 0) && errno != ENOENT)
		return -errno;
	err = copy_to(fd, dirfd, tmp, mode, sync);
	if (!err)
		err = rename_new(dirfd, tmp, name);
	if (err)
		unlinkat(dirfd, tmp, 0);
	return err;
}

static bool is_final(int err)
{
	return !err || err == -EEXIST || err == -ENOSPC || err == -EDQUOT;
}

int stage__give_name(int fd, int dirfd, const char *name, mode_t mode, bool sync)
{
	int err = sync ? dir__sync_one(fd) : 0;

	if (!err)
		err = link_to(fd, dirfd, name, mode);
	if (is_final(err))
		return err;
	err = copy_and_rename(fd, dirfd, name, mode, sync);
	if (!err)
		become(fd, dirfd, name);
	return err;
}

/* Gives a file its name in a directory that has no name of its own yet. */
static int give_part_name(int fd, int dirfd, const char *name, mode_t mode)
{
	int err = link_to(fd, dirfd, name, mode);

	if (is_final(err))
		return err;
	err = copy_to(fd, dirfd, name, mode, false);
	if (!err)
		become(fd, dirfd, name);
	return err;
}

static bool is_listed(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* Tells whether the directory @name has no entries but those of @names; true also if there is no such
 * directory. */
static bool has_only(int parent, const char *name, const char *const *names)
{
	_cleanup_closedir_ DIR *dir = dir__list(parent, name);
	const struct dirent *entry;

	if (!dir)
		return errno == ENOENT;
	while ((entry = dir__next(dir)))
		if (!is_listed(entry->d_name, names))
			return false;
	return true;
}

/* Ignores errors: a file that could not be removed makes the removal of the directory fail. */
static void remove_files(int parent, const char *name, const char *const *files)
{
	_cleanup_close_ int dirfd = dir__open(parent, name);

	for (; dirfd >= 0 && *files; files++)
		unlinkat(dirfd, *files, 0);
	unlinkat(parent, name, AT_REMOVEDIR);
}

/*
 * Renames a capture, which is open as @dirfd, to the name of an unfinished one unless it has such a name. So
 * nobody finds a capture that has lost files, and what a process that is killed meanwhile leaves is removed
 * by the next one.
 */
static int hide(int parent, int dirfd, const char *name, char hidden[NAME_MAX + 1])
{
	if (*name == '.')
		return snprintf(hidden, NAME_MAX + 1, "%s", name) > NAME_MAX ? -ENAMETOOLONG : 0;
	if (snprintf(hidden, NAME_MAX + 1, ".%s.%d", name, getpid()) > NAME_MAX)
		return -ENAMETOOLONG;
	if (flock(dirfd, LOCK_EX | LOCK_NB))
		return -errno;
	return renameat(parent, name, parent, hidden) ? -errno : 0;
}

int stage__remove_capture(int parent, const char *name)
{
	static const char *const top[] = {"data", STAGE_WINDOWS, "kcore_dir", DEBUG_DIR, NULL};
	static const char *const kcore[] = {"kcore", "kallsyms", "modules", NULL};
	_cleanup_close_ int dirfd = -1;
	char hidden[NAME_MAX + 1];
	int err;

	if (!unlinkat(parent, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return -errno;
	dirfd = dir__open(parent, name);
	if (dirfd < 0)
		return dirfd;
	if (!has_only(parent, name, top) || !has_only(dirfd, "kcore_dir", kcore) || debug_dir__check(dirfd))
		return -ENOTEMPTY;
	err = hide(parent, dirfd, name, hidden);
	if (err)
		return err;
	debug_dir__remove(dirfd);
	unlinkat(dirfd, "data", 0);
	unlinkat(dirfd, STAGE_WINDOWS, 0);
	remove_files(dirfd, "kcore_dir", kcore);
	return unlinkat(parent, hidden, AT_REMOVEDIR) ? -errno : 0;
}

bool stage__is_unfinished(const char *entry, char *name)
{
	const char *dot = strrchr(entry, '.');

	if (*entry != '.' || dot <= entry + 1 || !dot[1] || dot[1 + strspn(dot + 1, "0123456789")])
		return false;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(dot - entry - 1), entry + 1);
	return true;
}

/* The process that makes the entry holds a lock on it. */
int stage__remove_unfinished(int parent, const char *entry)
{
	_cleanup_close_ int fd = dir__open(parent, entry);

	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	return stage__remove_capture(parent, entry);
}

static void remove_left_over(const struct stage_target *target)
{
	_cleanup_closedir_ DIR *dir = dir__list(target->dirfd, ".");
	const struct dirent *entry;
	char name[NAME_MAX + 1];

	while (dir && (entry = dir__next(dir)))
		if (stage__is_unfinished(entry->d_name, name) && !strcmp(name, target->name) &&
		    !stage__remove_unfinished(target->dirfd, entry->d_name))
			log_debug("removed %s, which a process that was killed has left", entry->d_name);
}

static int check_target(const struct stage_target *target, const char *path)
{
	struct stat st;

	if (fstatat(target->dirfd, target->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISREG(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode)) {
		char data[NAME_MAX + sizeof("/data")];

		snprintf(data, sizeof(data), "%s/data", target->name);
		if (!faccessat(target->dirfd, data, F_OK, AT_SYMLINK_NOFOLLOW))
			return 0;
		log_err("%s is a directory that holds no capture: give another name with -o", path);
		return -EISDIR;
	}
	log_err("%s is neither a file nor a capture: give another name with -o", path);
	return -EINVAL;
}

int stage__target(const char *path, struct stage_target *ret)
{
	_cleanup_free_ char *copy = strdup(path);
	char *slash, *dir;
	size_t len = strlen(path);
	int err;

	*ret = (struct stage_target){.dirfd = -1};
	if (!copy)
		return -ENOMEM;
	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	slash = strrchr(copy, '/');
	ret->name = strdup(slash ? slash + 1 : copy);
	if (slash)
		*slash = '\0';
	dir = !slash ? (char[]){"."} : *copy ? copy : (char[]){"/"};
	if (!ret->name)
		return -ENOMEM;
	if (!*ret->name || !strcmp(ret->name, ".") || !strcmp(ret->name, "..") ||
	    strlen(ret->name) > NAME_MAX - 12) {
		log_err("\"%s\" is no name for a file: give another one with -o", path);
		return -EINVAL;
	}
	ret->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->dirfd < 0) {
		err = -errno;
		log_err("cannot open the directory %s for %s: %s", dir, path, strerror(-err));
		return err;
	}
	err = check_target(ret, path);
	if (!err)
		remove_left_over(ret);
	return err;
}

/* Frees the target's name: what has it becomes NAME.old. @moved says whether there was something. */
static int move_aside(const struct stage_target *target, char *old, size_t size, bool *moved)
{
	int err;

	*moved = false;
	snprintf(old, size, "%s.old", target->name);
	if (faccessat(target->dirfd, target->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	err = stage__remove_capture(target->dirfd, old);
	if (!err && renameat(target->dirfd, target->name, target->dirfd, old))
		err = -errno;
	if (err)
		log_err("cannot move the existing %s to %s: %s", target->name, old, strerror(-err));
	*moved = !err;
	return err;
}

static void move_back(const struct stage_target *target, const char *old, bool moved)
{
	if (moved && renameat(target->dirfd, old, target->dirfd, target->name))
		log_warn("the former %s is now %s", target->name, old);
}

static int open_made(int parent, const char *name)
{
	int fd = dir__open(parent, name);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB))
		log_debug("%s is not locked: %s", name, strerror(errno));
	return fd;
}

/* Makes a directory of our own beside the target and writes its name to @name. The descriptor holds a lock on
 * it. */
static int make_dir(const struct stage_target *target, char *name, size_t size)
{
	int i;

	for (i = 0; i < NAME_TRIES; i++) {
		snprintf(name, size, ".%s.%d", target->name, (int)getpid() + i);
		if (!mkdirat(target->dirfd, name, 0700))
			return open_made(target->dirfd, name);
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

/* Puts a file into the directory, and makes the directories in its name. */
static int put_file(int dirfd, const struct stage_file *file)
{
	const char *slash = strrchr(file->name, '/');
	_cleanup_free_ char *path = strndup(file->name, slash ? (size_t)(slash - file->name) : 0);
	_cleanup_close_ int fd = path ? dir__enter(dirfd, path) : -ENOMEM;

	return fd < 0 ? fd : give_part_name(file->fd, fd, slash ? slash + 1 : file->name, file->mode);
}

static int fill_dir(int dirfd, const struct stage_file *files, unsigned int nr)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < nr; i++)
		err = put_file(dirfd, &files[i]);
	return err;
}

/* Starts to write all files before it waits for the first one. */
static int sync_files(const struct stage_file *files, unsigned int nr)
{
	int err = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (sync_file_range(files[i].fd, 0, 0, SYNC_FILE_RANGE_WRITE))
			log_debug("%s is not on its way to the disk: %s", files[i].name, strerror(errno));
	for (unsigned int i = 0; !err && i < nr; i++)
		err = dir__sync_one(files[i].fd);
	return err;
}

static int sync_names(int dirfd, const struct stage_file *files, unsigned int nr)
{
	int err = sync_files(files, nr);

	return err ? err : dir__sync(dirfd);
}

static int publish_dir(const struct stage_target *target, const struct stage_file *files, unsigned int nr)
{
	char tmp[NAME_MAX + 1], old[NAME_MAX + 1];
	_cleanup_close_ int dirfd = make_dir(target, tmp, sizeof(tmp));
	bool moved = false;
	int err = dirfd < 0 ? dirfd : fill_dir(dirfd, files, nr);

	if (!err && target->sync)
		err = sync_names(dirfd, files, nr);
	if (!err)
		err = move_aside(target, old, sizeof(old), &moved);
	if (!err && renameat(target->dirfd, tmp, target->dirfd, target->name)) {
		err = -errno;
		move_back(target, old, moved);
	}
	if (err)
		stage__remove_capture(target->dirfd, tmp);
	else if (target->sync && dir__sync_one(target->dirfd))
		log_warn("the name of %s may be gone if the machine stops now: %s", target->name,
			 strerror(errno));
	return err;
}

static void block_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
}

static int log_publish(const struct stage_target *target, int err)
{
	if (err)
		log_err("cannot give the capture its name %s: %s", target->name, strerror(-err));
	return err;
}

int stage__publish_dir(const struct stage_target *target, const struct stage_file *files, unsigned int nr)
{
	sigset_t before;
	int err = target->sync ? sync_files(files, nr) : 0;

	/* The part that takes long is done; until here a signal could end it. */
	block_signals(&before);
	err = err ? err : publish_dir(target, files, nr);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return log_publish(target, err);
}
