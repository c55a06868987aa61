// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/user_function.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/path.h"
#include "files/foreign_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/ld_cache.h"
#include "symbols/proc_maps.h"
#include "symbols/uprobe_insn.h"

/* The ld.so.cache of a machine with 10,000 libraries has a MiB. It has a library once for each kind of
 * processor. */
#define LD_CACHE_MAX (16u << 20)
#define LIBRARIES_MAX 64
/* At most so many files of all targets are looked into. */
#define FILES_MAX 1024

#define MESSAGE_MAX (PATH_MAX + 512)
#define DELETED " (deleted)"

/* The directories in which shells look for programs in a container; for our own root PATH tells. */
#define PROGRAM_DIRS "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct inode {
	dev_t dev;
	ino_t ino;
};

struct search {
	const char *root;
	const struct function_name *spec;
	const int *pids;
	size_t nr_pids;
	struct file_errand *found;
	int host_root;
	struct buf files; /* struct inode of each file that was looked at */
	struct buf roots; /* struct inode of each root directory */
	struct nearest near;
	int err; /* of the first file that lacks the function, or of the search */
	char message[MESSAGE_MAX];
};

/* A root directory in which to search; @pid is 0 for ours. */
struct place {
	int root;
	int pid;
};

/* Tells whether the list has this inode; adds it if not. */
static bool seen(struct buf *list, const struct stat *st)
{
	const struct inode *inode = (const struct inode *)(const void *)list->data;
	const struct inode new = {st->st_dev, st->st_ino};

	for (size_t i = 0; i < list->len / sizeof(*inode); i++)
		if (inode[i].dev == new.dev && inode[i].ino == new.ino)
			return true;
	buf__add(list, &new, sizeof(new));
	return false;
}

/*
 * Refuses programs in Go: Go moves its stacks, and then finds there what a return probe has put in the place
 * of return addresses ("unexpected return pc").
 */
static int check_language(const struct elf_file *file, const char *name, char *message)
{
	if (!elf_file__has_section(file, ".go.buildinfo") && !elf_file__has_section(file, ".gopclntab"))
		return 0;
	snprintf(message, MESSAGE_MAX,
		 "%s is written in Go: the return probes of the kernel crash such programs", name);
	return -EOPNOTSUPP;
}

static int find_in_elf(struct search *s, const struct elf_file *file, const char *name, uint64_t *offset)
{
	char message[MESSAGE_MAX] = "";
	int err = check_language(file, name, message);

	if (!err && s->spec->symbol)
		err = elf_symbols__find(file, name, s->spec->symbol, offset, message, sizeof(message));
	else if (!err)
		err = elf_symbols__find_addr(file, name, s->spec->addr, offset, message, sizeof(message));
	if (!err)
		return 0;
	file_errand__note(s->found, "%s", message);
	if (!s->err) {
		s->err = err;
		snprintf(s->message, sizeof(s->message), "%s", message);
	}
	return err;
}

static void describe_place(const struct place *place, const char *path, char *name, size_t size)
{
	if (place->pid)
		snprintf(name, size, "%s of process %d", path, place->pid);
	else
		snprintf(name, size, "%s", path);
}

/* Adds to the results: a struct user_function, its name with a NUL, and a descriptor. */
static void tell_found(struct search *s, const struct elf_file *file, const struct stat *st, uint64_t offset,
		       const char *name)
{
	struct user_function function = {.offset = offset, .dev = st->st_dev, .ino = st->st_ino};
	uint8_t code[UPROBE_INSN_HEAD];
	ssize_t len = pread(file->fd, code, sizeof(code), (off_t)offset);
	char path[32];
	int fd;

	function.begins_with_branch = len > 0 && uprobe_insn__is_branch(code, (size_t)len);
	/* To close an O_PATH descriptor does not ask the file system. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0) {
		buf__fail(&s->found->bytes, -errno);
		return;
	}
	file_errand__add_fd(s->found, fd);
	buf__add(&s->found->bytes, &function, sizeof(function));
	buf__add(&s->found->bytes, name, strlen(name) + 1);
	file_errand__note(s->found, "the function is at offset 0x%llx of %s", (unsigned long long)offset,
			  name);
}

/* Looks into an open file, and takes it over. Does so once for each inode. */
static void try_file(struct search *s, const struct place *place, const char *path, int fd)
{
	const struct elf_place elf_place = {.root = place->root, .host_root = s->host_root, .path = path};
	char name[PATH_MAX + 32], message[MESSAGE_MAX] = "";
	struct elf_file file;
	uint64_t offset;
	struct stat st;
	int err;

	if (s->files.len >= FILES_MAX * sizeof(struct inode) || fstat(fd, &st) || seen(&s->files, &st)) {
		close(fd);
		return;
	}
	describe_place(place, path, name, sizeof(name));
	err = elf_file__open(fd, &elf_place, &file, message, sizeof(message));
	if (!err && !find_in_elf(s, &file, name, &offset))
		tell_found(s, &file, &st, offset, name);
	if (err && !s->err) {
		s->err = err;
		snprintf(s->message, sizeof(s->message), "%s", message);
	}
	elf_file__close(&file);
}

static void try_path(struct search *s, const struct place *place, const char *path)
{
	int fd = foreign_file__open(place->root, path);

	if (fd >= 0)
		try_file(s, place, path, fd);
	else if (s->spec->binary[0] == '/' && fd != -ENOENT && fd != -ENOTDIR && !s->err) {
		s->err = fd;
		if (fd == FOREIGN_FILE_NOT_REGULAR)
			snprintf(s->message, sizeof(s->message), "%s is no regular file", path);
		else
			snprintf(s->message, sizeof(s->message), "cannot open %s: %s", path, strerror(-fd));
	}
}

/* Tells whether a mapped file of that name is one that the user means; cuts off what the kernel adds to the
 * name. */
static bool map_is_wanted(const struct search *s, char *name)
{
	const size_t len = strlen(name), deleted = strlen(DELETED);
	const char *slash;

	if (len > deleted && !strcmp(name + len - deleted, DELETED))
		name[len - deleted] = '\0';
	if (s->spec->binary[0] == '/')
		return !strcmp(name, s->spec->binary);
	slash = strrchr(name, '/');
	return slash && name[0] == '/' && function_name__is_file(s->spec->binary, slash + 1);
}

struct mapped {
	struct search *search;
	const struct place *place;
};

/* Opens the file through map_files, because its name may mean another file by now, or none. */
static int try_map(void *ctx, struct proc_map *map)
{
	const struct mapped *mapped = ctx;
	struct search *s = mapped->search;
	int fd;

	if (!map_is_wanted(s, map->name))
		return 0;
	fd = foreign_file__open_mapped(s->root, (uint32_t)mapped->place->pid, map->start, map->end);
	if (fd >= 0)
		try_file(s, mapped->place, map->name, fd);
	return 0;
}

static void try_maps(struct search *s, const struct place *place)
{
	struct mapped mapped = {s, place};
	int err = proc_maps__each(s->root, place->pid, false, try_map, &mapped);

	if (err)
		buf__fail(&s->found->bytes, err);
}

static void try_libraries(struct search *s, const struct place *place)
{
	_cleanup_close_ int fd = foreign_file__open(place->root, "/etc/ld.so.cache");
	_cleanup_buf_ struct buf file = {0};
	struct ld_cache_entry entry;
	size_t i = 0, tried = 0;
	struct span cache;

	if (fd < 0 || foreign_file__read(fd, LD_CACHE_MAX, &file))
		return;
	cache = ld_cache__begin(buf__span(&file));
	while (ld_cache__next(cache, &i, &entry) && tried < LIBRARIES_MAX) {
		if (function_name__is_file(s->spec->binary, entry.soname)) {
			try_path(s, place, entry.path);
			tried++;
		} else
			nearest__offer(&s->near, s->spec->binary, entry.soname);
	}
}

static void try_programs(struct search *s, const struct place *place)
{
	const char *own = place->pid ? NULL : getenv("PATH"), *dir = own ? own : PROGRAM_DIRS;
	char path[PATH_MAX];

	while (*dir) {
		const size_t len = strcspn(dir, ":");

		if (*dir == '/' &&
		    snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, s->spec->binary) < PATH_MAX)
			try_path(s, place, path);
		dir += len + (dir[len] == ':');
	}
}

static void try_root(struct search *s, const struct place *place)
{
	if (s->spec->binary[0] == '/') {
		try_path(s, place, s->spec->binary);
		return;
	}
	try_libraries(s, place);
	try_programs(s, place);
}

static void try_process(struct search *s, int pid)
{
	char path[PATH_MAX];
	_cleanup_close_ int root = -1;
	struct place place;
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/proc/%d/root", s->root, pid) >= PATH_MAX)
		return;
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || foreign_file__visit(root, path) || fstat(root, &st))
		return;
	place = (struct place){root, pid};
	try_maps(s, &place);
	if (!seen(&s->roots, &st))
		try_root(s, &place);
}

static void describe_no_file(struct search *s)
{
	const char *binary = s->spec->binary;
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];

	s->err = -ENOENT;
	nearest__format(&s->near, names, sizeof(names));
	if (binary[0] == '/')
		snprintf(s->message, MESSAGE_MAX, "there is no file %s", binary);
	else if (path__exists(s->root, "/sys/module/%s", binary) && s->spec->symbol)
		snprintf(s->message, MESSAGE_MAX,
			 "no library or program is called '%s'; functions of the kernel's module of that "
			 "name are named without it: %s",
			 binary, s->spec->symbol);
	else if (*names)
		snprintf(s->message, MESSAGE_MAX, "no library or program is called '%s'; did you mean %s?",
			 binary, names);
	else
		snprintf(s->message, MESSAGE_MAX,
			 "no library or program is called '%s'; name it with its path", binary);
}

/* Makes a path absolute. Symbolic links are followed later, in the root directory in question. */
static char *absolute_path(const char *binary)
{
	_cleanup_free_ char *cwd = NULL;
	char *path = NULL;

	if (binary[0] == '/' || !strchr(binary, '/'))
		return strdup(binary);
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&path, "%s/%s", cwd, binary) < 0)
		return NULL;
	return path;
}

static int search_all(struct search *s)
{
	struct place host = {-1, 0};
	int err;

	s->host_root = open(*s->root ? s->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->host_root < 0)
		return -errno;
	host.root = s->host_root;
	for (size_t i = 0; i < s->nr_pids; i++)
		try_process(s, s->pids[i]);
	if (!s->files.len)
		try_root(s, &host);
	close(s->host_root);
	err = buf__error(&s->files);
	return err ? err : buf__error(&s->roots);
}

/* Runs in a process of its own, which ends then. The results begin with an error and its message; 0 and an
 * empty one if functions were found. */
static int search(void *ctx, struct file_errand *found)
{
	struct search *s = ctx;
	const size_t begin = sizeof(s->err) + sizeof(s->message);
	int err;

	s->found = found;
	buf__add(&found->bytes, NULL, begin);
	err = search_all(s);
	buf__release(&s->files);
	buf__release(&s->roots);
	if (err || buf__error(&found->bytes))
		return err;
	if (found->bytes.len > begin)
		s->err = 0;
	else if (!s->err)
		describe_no_file(s);
	buf__put_at(&found->bytes, 0, &s->err, sizeof(s->err));
	buf__put_at(&found->bytes, sizeof(s->err), s->message, sizeof(s->message));
	return 0;
}

/* Makes functions of the results and takes over the descriptors. */
static int unpack(const struct buf *b, size_t at, int *fds, struct user_functions *ret)
{
	while (at < b->len) {
		struct user_function *f = reallocarray(ret->items, ret->nr + 1, sizeof(*f));
		const char *name = (const char *)b->data + at + sizeof(*f);

		if (!f)
			return -ENOMEM;
		ret->items = f;
		f += ret->nr;
		memcpy(f, b->data + at, sizeof(*f));
		f->name = strdup(name);
		if (!f->name)
			return -ENOMEM;
		f->fd = fds[ret->nr];
		fds[ret->nr++] = -1;
		at += sizeof(*f) + strlen(name) + 1;
	}
	return 0;
}

static int take_found(const struct search *s, enum log_level level, struct file_errand *found,
		      struct user_functions *ret)
{
	const size_t begin = sizeof(s->err) + sizeof(s->message);
	const char *message = (const char *)found->bytes.data + sizeof(s->err);
	int err;

	memcpy(&err, found->bytes.data, sizeof(err));
	if (err) {
		log__write(level, "%.*s", MESSAGE_MAX - 1, message);
		return err;
	}
	err = unpack(&found->bytes, begin, (int *)(void *)found->fds.data, ret);
	if (err)
		user_functions__release(ret);
	return err;
}

int user_function__find(const char *root, const struct function_name *spec, const int *pids, size_t nr_pids,
			bool optional, struct file_helper *helper, struct user_functions *ret)
{
	_cleanup_free_ char *binary = absolute_path(spec->binary);
	_cleanup_file_errand_ struct file_errand found = {0};
	const struct function_name absolute = {binary, spec->symbol, spec->addr};
	const enum log_level level = optional ? LOG_DEBUG : LOG_ERROR;
	struct search s = {.root = root, .spec = &absolute, .pids = pids, .nr_pids = nr_pids};
	int err;

	*ret = (struct user_functions){0};
	if (!binary)
		return -ENOMEM;
	err = file_helper__run(helper, search, &s, &found);
	if (!err)
		return take_found(&s, level, &found, ret);
	log__write(level, "cannot look for %s: %s", binary, strerror(-err));
	return err;
}

void user_functions__release(struct user_functions *functions)
{
	for (size_t i = 0; i < functions->nr; i++) {
		cleanup__close(&functions->items[i].fd);
		free(functions->items[i].name);
	}
	free(functions->items);
	*functions = (struct user_functions){0};
}
