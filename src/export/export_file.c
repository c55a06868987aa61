// SPDX-License-Identifier: GPL-2.0-only
#include "export/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"

#define MODE 0600 /* as a capture: it tells what the program did */
#define BUFFER_SIZE (1 << 16)

static int say(const struct export_file *file, int err)
{
	log_err("cannot write %s: %s", file->path, strerror(-err));
	return err;
}

static int open_stdout(struct export_file *file, bool is_text)
{
	file->path = "to stdout";
	if (!is_text && isatty(STDOUT_FILENO)) {
		log_err("this format is none for a terminal: name a file with -o");
		return -EINVAL;
	}
	file->to = stdout;
	return 0;
}

/* Opens a device or a pipe. */
static int open_as_it_is(struct export_file *file)
{
	file->to = fopen(file->path, "we");
	return file->to ? 0 : say(file, -errno);
}

static int open_staged(struct export_file *file)
{
	_cleanup_close_ int fd = -1;
	int err = stage__target(file->path, &file->target);

	if (err)
		return err;
	err = stage__new_file(&file->target, &fd);
	if (err)
		return err;
	file->is_staged = true;
	file->to = fdopen(fd, "w");
	if (!file->to)
		return say(file, -errno);
	steal_fd(&fd);
	setvbuf(file->to, NULL, _IOFBF, BUFFER_SIZE);
	return 0;
}

int export_file__open(const char *path, bool is_text, struct export_file *ret)
{
	struct stat st;
	bool exists;

	*ret = (struct export_file){.path = path, .target.dirfd = -1};
	if (!path || !strcmp(path, "-"))
		return open_stdout(ret, is_text);
	exists = !stat(path, &st);
	if (exists && S_ISDIR(st.st_mode))
		return say(ret, -EISDIR);
	return exists && !S_ISREG(st.st_mode) ? open_as_it_is(ret) : open_staged(ret);
}

/* Takes the place of the file that has the name. */
static int replace(const struct export_file *file)
{
	const struct stage_target *target = &file->target;
	char name[NAME_MAX + 1];
	int err;

	if (snprintf(name, sizeof(name), ".%s.%d", target->name, getpid()) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	err = stage__give_name(fileno(file->to), target->dirfd, name, MODE, false);
	if (err)
		return err;
	if (!renameat(target->dirfd, name, target->dirfd, target->name))
		return 0;
	err = -errno;
	unlinkat(target->dirfd, name, 0);
	return err;
}

int export_file__finish(struct export_file *file)
{
	const struct stage_target *target = &file->target;
	int err = 0;

	if (fflush(file->to) || ferror(file->to))
		err = errno ? -errno : -EIO;
	if (!err && file->is_staged) {
		err = stage__give_name(fileno(file->to), target->dirfd, target->name, MODE, false);
		if (err == -EEXIST)
			err = replace(file);
	}
	return err ? say(file, err) : 0;
}

void export_file__close(struct export_file *file)
{
	if (file->to && file->to != stdout)
		fclose(file->to);
	stage__target_release(&file->target);
	*file = (struct export_file){.target.dirfd = -1};
}
