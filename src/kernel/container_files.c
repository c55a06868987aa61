// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/container_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/log.h"

/* Each has a descriptor until the capture gets its name. */
#define FILES_MAX 512

struct copying {
	const struct container_roots *roots;
	const struct stage_target *target;
	struct container_files *files;
	/* The files that are nowhere under their name, as names in the capture. */
	struct buf missing;
};

static bool has_file(const struct container_files *files, const char *name)
{
	for (unsigned int i = 0; i < files->nr; i++)
		if (!strcmp(files->all[i].name, name))
			return true;
	return false;
}

static int copy_data(int from, int to)
{
	struct stat st;
	off_t pos = 0;

	if (fstat(from, &st))
		return -errno;
	while (pos < st.st_size) {
		ssize_t n = sendfile(to, from, &pos, (size_t)(st.st_size - pos));

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
	}
	return 0;
}

static int stage_copy(const struct copying *c, int from, const char *name)
{
	struct container_files *files = c->files;
	struct container_file *all = reallocarray(files->all, files->nr + 1, sizeof(*all));
	int err;

	if (!all)
		return -ENOMEM;
	files->all = all;
	all += files->nr;
	memcpy(all->name, name, sizeof(all->name));
	all->fd = stage__open(c->target);
	if (all->fd < 0)
		return all->fd;
	err = copy_data(from, all->fd);
	if (err)
		close(all->fd);
	else
		files->nr++;
	return err;
}

/* Has a copy made of the file @from. Only that there is no memory is an error. */
static int try_copy(const struct copying *c, int from, const char *name, const char *in_capture)
{
	int err = c->files->nr < FILES_MAX ? stage_copy(c, from, in_capture) : 0;

	if (!err || err == -ENOMEM)
		return err;
	log_warn("cannot copy %s for the capture, its functions will have no names: %s", name,
		 strerror(-err));
	return 0;
}

static int copy_foreign(void *ctx, const char *name, const struct build_id *id)
{
	struct copying *c = ctx;
	char in_capture[DEBUG_DIR_NAME_SIZE] = "";
	_cleanup_close_ int from = -1;
	bool own;

	debug_dir__name(id, in_capture);
	if (*name != '/' || has_file(c->files, in_capture))
		return 0;
	from = container_roots__open(c->roots, name, id, &own);
	if (from < 0)
		buf__add(&c->missing, in_capture, sizeof(in_capture));
	return from < 0 || own ? 0 : try_copy(c, from, name, in_capture);
}

static bool is_missing(const struct copying *c, const char *in_capture)
{
	for (size_t at = 0; at < c->missing.len; at += DEBUG_DIR_NAME_SIZE)
		if (!memcmp(c->missing.data + at, in_capture, DEBUG_DIR_NAME_SIZE))
			return true;
	return false;
}

/*
 * Runtimes execute themselves from a file without a name before they become the container's first process
 * ("/", or
 * "/memfd:..."). It is a copy of what was executed under its own name before.
 */
static int copy_missing(void *ctx, const char *name, const struct build_id *id)
{
	struct copying *c = ctx;
	char in_capture[DEBUG_DIR_NAME_SIZE] = "";
	_cleanup_close_ int from = -1;
	bool own;

	debug_dir__name(id, in_capture);
	if (!is_missing(c, in_capture) || has_file(c->files, in_capture))
		return 0;
	from = container_roots__open(c->roots, name, id, &own);
	return from < 0 ? 0 : try_copy(c, from, name, in_capture);
}

int container_files__copy(const struct container_roots *roots, const struct build_id_set *ids,
			  const struct stage_target *target, struct container_files *ret)
{
	struct copying c = {.roots = roots, .target = target, .files = ret};
	int err = 0;

	if (container_roots__nr(roots))
		err = build_id_set__each(ids, copy_foreign, &c);
	if (!err)
		err = buf__error(&c.missing);
	if (!err && c.missing.len)
		err = build_id_set__each(ids, copy_missing, &c);
	if (ret->nr == FILES_MAX)
		log_warn("more than %d programs and libraries ran in containers; the others were not copied",
			 FILES_MAX);
	buf__release(&c.missing);
	return err;
}

void container_files__release(struct container_files *files)
{
	while (files->nr)
		close(files->all[--files->nr].fd);
	free(files->all);
	*files = (struct container_files){0};
}
