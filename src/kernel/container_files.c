// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/container_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/log.h"

/* Each has a descriptor until the capture gets its name. */
#define FILES_MAX 512

struct copying {
	const struct container_roots *roots;
	const struct stage_target *target;
	struct container_files *files;
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

static int copy_file(void *ctx, const char *name, const struct build_id *id)
{
	const struct copying *c = ctx;
	_cleanup_close_ int from = -1;
	char in_capture[DEBUG_DIR_NAME_SIZE] = "";
	int err;

	debug_dir__name(id, in_capture);
	if (*name != '/' || c->files->nr == FILES_MAX || has_file(c->files, in_capture))
		return 0;
	from = container_roots__open(c->roots, name, id);
	if (from < 0)
		return 0;
	err = stage_copy(c, from, in_capture);
	if (err && err != -ENOMEM)
		log_warn("cannot copy %s out of its container, its functions will have no names: %s", name,
			 strerror(-err));
	return err == -ENOMEM ? err : 0;
}

int container_files__copy(const struct container_roots *roots, const struct build_id_set *ids,
			  const struct stage_target *target, struct container_files *ret)
{
	struct copying c = {roots, target, ret};
	int err = container_roots__nr(roots) ? build_id_set__each(ids, copy_file, &c) : 0;

	if (ret->nr == FILES_MAX)
		log_warn("more than %d programs and libraries ran in containers; the others were not copied",
			 FILES_MAX);
	return err;
}

void container_files__release(struct container_files *files)
{
	while (files->nr)
		close(files->all[--files->nr].fd);
	free(files->all);
	*files = (struct container_files){0};
}
