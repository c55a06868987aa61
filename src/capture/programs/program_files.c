// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/program_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/inherited.h"
#include "base/log.h"
#include "capture/programs/buildid_cache.h"
#include "files/vdso.h"

/* A copy takes whole blocks, and two directories of its own in each capture. The capture has some more. */
#define BLOCK 4096
#define OWN_DIRS 4

struct copying {
	const struct program_files_opts *opts;
	struct program_files *files;
	/* Names in the capture of the files that are nowhere under their own name. */
	struct buf missing;
	unsigned int max;	  /* of copies: each has a descriptor, from which later captures link */
	unsigned int nr_left_out; /* because there are @max */
	unsigned int no_room;	  /* left out because the disk has no room */
	uint64_t total;		  /* bytes of the capture */
};

bool program_files__has(const struct program_files *files, const struct program_file *file)
{
	return file->used == files->captures;
}

unsigned int program_files__nr(const struct program_files *files)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < files->nr; i++)
		nr += program_files__has(files, &files->all[i]);
	return nr;
}

/* Whether there is a copy; if so, this capture has it too. */
static bool use_copy(struct program_files *files, const char *name)
{
	for (unsigned int i = 0; i < files->nr; i++)
		if (!strcmp(files->all[i].name, name)) {
			files->all[i].used = files->captures;
			return true;
		}
	return false;
}

static bool has_room(struct copying *c, uint64_t data)
{
	uint64_t bytes = (data + BLOCK - 1) / BLOCK * BLOCK + 2 * BLOCK;
	bool room = !c->opts->room || c->opts->room(c->opts->ctx, c->total + bytes, bytes);

	c->total += room ? bytes : 0;
	c->no_room += !room;
	return room;
}

static int copy_vdso(int to, uint64_t *bytes)
{
	const struct span image = vdso__image();

	*bytes += image.len;
	return stage__write_at(to, 0, image);
}

/* Finds a place for a copy: behind the others, or that of the copy that was not used for the longest time. */
static struct program_file *find_place(struct program_files *files, unsigned int max)
{
	struct program_file *oldest = files->all, *all;

	if (files->nr < max || !files->nr) {
		all = reallocarray(files->all, files->nr + 1, sizeof(*all));
		if (!all)
			return NULL;
		files->all = all;
		all[files->nr].fd = -1;
		return &all[files->nr];
	}
	for (unsigned int i = 1; i < files->nr; i++)
		if (files->all[i].used < oldest->used)
			oldest = &files->all[i];
	return oldest;
}

static void release_file(struct program_file *file)
{
	close(file->fd);
	free(file->path);
}

/* @from is -1 for the vdso. */
static int stage_copy(struct copying *c, int from, struct program_file *file)
{
	struct program_files *files = c->files;
	struct program_file *place = find_place(files, c->max);
	uint64_t data = vdso__image().len;
	_cleanup_close_ int fd = -1;
	int err;

	if (!place)
		return -ENOMEM;
	if (place->fd >= 0 && program_files__has(files, place)) {
		c->nr_left_out++;
		return 0;
	}
	err = from < 0 ? 0 : file_helper__data_bytes(c->opts->helper, from, &data);
	if (err)
		return err;
	if (!has_room(c, data))
		return 0;
	fd = stage__open(c->opts->target);
	if (fd < 0)
		return fd;
	err = from < 0 ? copy_vdso(fd, &files->bytes)
		       : file_helper__copy(c->opts->helper, from, fd, data, &files->bytes);
	if (err)
		return err;
	if (place->fd >= 0)
		release_file(place);
	else
		files->nr++;
	*place = *file;
	place->fd = steal_fd(&fd);
	place->used = files->captures;
	file->path = NULL;
	return 0;
}

/* Copies the file @from. Only a lack of memory is an error. */
static int try_copy(struct copying *c, int from, const char *name, const struct build_id *id,
		    const char *in_capture)
{
	struct program_file file = {.path = strdup(name), .id = *id};
	int err = -ENOMEM;

	memcpy(file.name, in_capture, sizeof(file.name));
	if (file.path)
		err = stage_copy(c, from, &file);
	free(file.path);
	if (!err || err == -ENOMEM)
		return err;
	log_warn("cannot copy %s for the capture, its functions will have no names: %s", name,
		 strerror(-err));
	return 0;
}

/* Finds the file, and sets @wanted if a copy is needed. Returns a descriptor or -ENOENT. */
static int find_file(const struct copying *c, const char *name, const struct build_id *id, bool *wanted)
{
	int fd = c->opts->held ? held_files__get(c->opts->held, id) : -ENOENT;
	bool own = false;

	if (fd < 0)
		fd = container_roots__open(c->opts->roots, c->opts->helper, name, id, &own);
	*wanted = fd >= 0 && (!own || c->opts->held);
	return fd;
}

static int copy_used(void *ctx, const char *name, const struct build_id *id)
{
	struct copying *c = ctx;
	char in_capture[DEBUG_DIR_NAME_SIZE] = "";
	bool is_vdso = !strcmp(name, VDSO_NAME), wanted;
	const char *what = is_vdso ? VDSO_FILE : DEBUG_DIR_ELF;
	_cleanup_close_ int from = -1;

	debug_dir__name(id, what, in_capture);
	if (use_copy(c->files, in_capture)) {
		c->total += 2 * BLOCK;
		return 0;
	}
	if (c->opts->cache >= 0 && buildid_cache__has(c->opts->cache, id, what))
		return 0;
	if (is_vdso)
		return try_copy(c, -1, name, id, in_capture);
	if (*name != '/')
		return 0;
	from = find_file(c, name, id, &wanted);
	if (from < 0)
		buf__add(&c->missing, in_capture, sizeof(in_capture));
	return wanted ? try_copy(c, from, name, id, in_capture) : 0;
}

static bool is_missing(const struct copying *c, const char *in_capture)
{
	for (size_t at = 0; at < c->missing.len; at += DEBUG_DIR_NAME_SIZE)
		if (!memcmp(c->missing.data + at, in_capture, DEBUG_DIR_NAME_SIZE))
			return true;
	return false;
}

/*
 * Copies files that have no name ("/", or "/memfd:..."): runtimes execute themselves from such a file before
 * they become the container's first process. It is a copy of what was executed under its own name before.
 */
static int copy_missing(void *ctx, const char *name, const struct build_id *id)
{
	struct copying *c = ctx;
	char in_capture[DEBUG_DIR_NAME_SIZE] = "";
	_cleanup_close_ int from = -1;
	bool own;

	debug_dir__name(id, DEBUG_DIR_ELF, in_capture);
	if (!is_missing(c, in_capture) || use_copy(c->files, in_capture))
		return 0;
	from = container_roots__open(c->opts->roots, c->opts->helper, name, id, &own);
	return from < 0 ? 0 : try_copy(c, from, name, id, in_capture);
}

/* Counts the files that are missing under all their names. A file may be in the list under several. */
static unsigned int count_missing(struct copying *c)
{
	unsigned int nr = 0;

	for (size_t at = 0; at < c->missing.len; at += DEBUG_DIR_NAME_SIZE) {
		const char *name = (const char *)c->missing.data + at;
		bool again = false;

		for (size_t i = 0; i < at && !again; i += DEBUG_DIR_NAME_SIZE)
			again = !memcmp(c->missing.data + i, name, DEBUG_DIR_NAME_SIZE);
		nr += !again && !use_copy(c->files, name);
	}
	return nr;
}

static void tell(struct copying *c)
{
	unsigned int before = c->files->missing, full = c->files->no_room;

	c->files->missing = c->opts->held ? count_missing(c) : 0;
	/* Later snapshots do not log the same files again. */
	if (c->files->missing > before)
		log_warn("%u program%s or librar%s that ran could not be kept: gone, or changed, before "
			 "there was a copy",
			 c->files->missing, log__plural(c->files->missing),
			 c->files->missing == 1 ? "y" : "ies");
	c->files->no_room = c->no_room;
	if (c->no_room > full)
		log_warn("%u program%s or librar%s that ran could not be kept: too little room by "
			 "--max-size or --min-free",
			 c->no_room, log__plural(c->no_room), c->no_room == 1 ? "y" : "ies");
	if (c->nr_left_out)
		log_warn("more than %u programs and libraries; %u were not copied", c->max, c->nr_left_out);
}

/* Drops copies that no capture has any more, which only take room on the disk. The next one copies anew. */
static void drop_unused(struct program_files *files)
{
	struct stat st;

	for (unsigned int i = files->nr; i--;)
		if (!fstat(files->all[i].fd, &st) && !st.st_nlink) {
			release_file(&files->all[i]);
			files->all[i] = files->all[--files->nr];
		}
}

int program_files__copy(struct program_files *files, const struct program_files_opts *opts,
			const struct build_id_set *ids)
{
	struct copying c = {
		.opts = opts,
		.files = files,
		.max = inherited__share_files(HELD_FILES_MAX, HELD_FILES_USERS),
	};
	struct stat st;
	int err = 0;

	if (!fstat(opts->data_fd, &st))
		c.total = (uint64_t)st.st_blocks * 512 + OWN_DIRS * BLOCK;
	drop_unused(files);
	files->captures++;
	files->bytes = 0;
	if (!opts->held && !container_roots__nr(opts->roots))
		return 0;
	if (opts->held)
		held_files__settle(opts->held);
	err = build_id_set__each_used(ids, copy_used, &c);
	if (!err)
		err = buf__error(&c.missing);
	if (!err && c.missing.len)
		err = build_id_set__each_used(ids, copy_missing, &c);
	if (!err)
		tell(&c);
	buf__release(&c.missing);
	return err;
}

static const char *file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

void program_files__fill_cache(const struct program_files *files, int dirfd, bool sync)
{
	unsigned int failed = 0;
	int first = 0;

	for (unsigned int i = 0; i < files->nr; i++) {
		const struct program_file *f = &files->all[i];
		const struct buildid_cache_entry entry = {f->path, file_name(f->name), f->id, f->fd, sync};
		int err = program_files__has(files, f) ? buildid_cache__add(dirfd, &entry) : 0;

		first = first ?: err;
		failed += err != 0;
	}
	if (failed)
		log_warn("%u programs and libraries are not in the build-id cache: %s", failed,
			 strerror(-first));
}

void program_files__release(struct program_files *files)
{
	while (files->nr)
		release_file(&files->all[--files->nr]);
	free(files->all);
	*files = (struct program_files){0};
}
