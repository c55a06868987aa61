// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/source_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/privileges.h"
#include "files/build_ids.h"
#include "files/debug_dir.h"
#include "files/elf_file.h"
#include "files/foreign_elf.h"
#include "files/foreign_file.h"
#include "symbols/dwarf_lines.h"

/* The process that looks into a file may use so much memory beside what it has, and so much time of a CPU. */
#define MEMORY_MAX (3ull << 30)
#define SECONDS_MAX 40

/* Opens the file at @path in @root, if it has the build id. Returns a descriptor or a negative errno. */
static int open_file(int root, const char *path, const struct build_id *id)
{
	_cleanup_close_ int fd = foreign_file__open(root, path);

	if (fd < 0)
		return fd;
	return build_id__is_of(id, fd) ? steal_fd(&fd) : -ENOENT;
}

/* Opens the first file with the build id that @pattern finds in the root directory @root, whose path is @prefix. */
static int open_any(int root, const char *prefix, const char *pattern, const struct build_id *id)
{
	char path[PATH_MAX];
	int fd = -ENOENT;
	glob_t found;

	if (snprintf(path, sizeof(path), "%s%s", prefix, pattern) >= PATH_MAX ||
	    foreign_file__glob(path, 0, &found))
		return -ENOENT;
	for (size_t i = 0; fd < 0 && i < found.gl_pathc; i++)
		fd = open_file(root, found.gl_pathv[i] + strlen(prefix), id);
	globfree(&found);
	return fd;
}

/* Looks for the kernel where distributions have it with its debug information. */
static int open_kernel(const struct source_query *q, int root)
{
	static const char *const patterns[] = {"/usr/lib/debug/boot/vmlinux-*",
					       "/usr/lib/debug/lib/modules/*/vmlinux"};
	char name[BUILD_ID_PATH_SIZE], path[PATH_MAX];
	int fd;

	build_id__path(q->id, name);
	snprintf(path, sizeof(path), "/usr/lib/debug/%s.debug", name);
	fd = open_file(root, path, q->id);
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(patterns); i++)
		fd = open_any(root, q->root, patterns[i], q->id);
	return fd;
}

static int open_object(const struct source_query *q, int root)
{
	char name[BUILD_ID_PATH_SIZE], path[PATH_MAX];
	int fd = -ENOENT;

	if (q->is_kernel)
		return open_kernel(q, root);
	build_id__path(q->id, name);
	if (q->cache && snprintf(path, sizeof(path), "%s/%s/" DEBUG_DIR_ELF, q->cache, name) < PATH_MAX)
		fd = open_file(root, path, q->id);
	return fd < 0 ? open_file(root, q->path, q->id) : fd;
}

/* Reads how much memory of its own this process has, in bytes (proc(5), /proc/PID/statm). */
static int read_memory(rlim_t *ret)
{
	_cleanup_fclose_ FILE *statm = fopen("/proc/self/statm", "re");
	unsigned long long pages;

	if (!statm || fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		return -EIO;
	*ret = pages * (rlim_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* Sets a limit, unless there is a lower one already. Returns 0 or a negative errno. */
static int set_limit(int what, rlim_t max)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return -errno;
	now.rlim_max = now.rlim_max < max ? now.rlim_max : max;
	now.rlim_cur = now.rlim_max;
	return setrlimit(what, &now) ? -errno : 0;
}

/* Lets this process only compute, and not much: libdw would open any file that debug information names. */
static int limit(void)
{
	rlim_t memory = 0;
	int err = read_memory(&memory);

	if (!err)
		err = set_limit(RLIMIT_DATA, memory + MEMORY_MAX);
	if (!err)
		err = set_limit(RLIMIT_CPU, SECONDS_MAX);
	if (!err)
		err = set_limit(RLIMIT_NOFILE, 0);
	return err ? err : privileges__limit(PRIVILEGES_NONE);
}

/* Reads the value of the only symbol with this name. */
static bool find_symbol(Elf *elf, const char *name, uint64_t *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Sym sym;
	size_t nr = 0;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = NULL;
		struct span strings;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		strings = foreign_elf__strings(elf, shdr.sh_link);
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *found = foreign_elf__string(strings, sym.st_name);

			if (found && !strcmp(found, name) && !nr++)
				*ret = sym.st_value;
		}
	}
	return nr == 1;
}

/* Finds how far the kernel was from where its file says, by a symbol that is there once. */
static int find_shift(const struct source_query *q, Elf *elf, uint64_t *ret)
{
	const long page = sysconf(_SC_PAGESIZE);
	const char *last = "";
	uint64_t value;

	for (size_t i = 0; i < q->nr; i++) {
		const struct source_address *a = &q->addresses[i];

		if (!*a->symbol || !strcmp(a->symbol, last))
			continue;
		last = a->symbol;
		if (!find_symbol(elf, a->symbol, &value) || (a->start - value) % (uint64_t)page)
			continue;
		*ret = a->start - value;
		return 0;
	}
	return -ENOENT;
}

static int compare(const void *a, const void *b)
{
	const struct dwarf_line *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Makes the addresses those that the file says, in their order, for the caller to free. */
static int make_lines(const struct source_query *q, const struct elf_file *file, struct dwarf_line **ret)
{
	struct dwarf_line *lines;
	uint64_t shift = 0;
	int err = q->is_kernel ? find_shift(q, file->elf, &shift) : 0;

	if (err)
		return err;
	lines = calloc(q->nr, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	for (size_t i = 0; i < q->nr; i++) {
		lines[i].index = (uint32_t)i;
		/* One that is in none of the file's code stays 0, and has no line. */
		if (q->is_kernel)
			lines[i].address = q->addresses[i].address - shift;
		else if (elf_file__address(file, q->addresses[i].address, &lines[i].address))
			lines[i].address = 0;
	}
	qsort(lines, q->nr, sizeof(*lines), compare);
	*ret = lines;
	return 0;
}

static void send_text(struct buf *to, const char *text)
{
	buf__add(to, text, strnlen(text, FOREIGN_ELF_STRING_MAX));
}

static void send_place(struct buf *to, uint32_t instance, const struct dwarf_place *place)
{
	const char *file = place->file ? place->file : "";

	buf__add_u32(to, instance);
	buf__add_u32(to, place->line);
	if (*file && *file != '/' && place->dir) {
		send_text(to, place->dir);
		buf__add(to, "/", 1);
	}
	send_text(to, file);
	buf__add(to, "", 1);
}

/* Adds what was found, in the order of the query. */
static int send_lines(const struct dwarf_line *lines, size_t nr, const struct dwarf_instances *instances,
		      struct buf *to)
{
	_cleanup_free_ const struct dwarf_line **ordered = calloc(nr, sizeof(*ordered));

	if (!ordered)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		ordered[lines[i].index] = &lines[i];
	buf__add_u32(to, (uint32_t)instances->nr);
	for (size_t i = 0; i < instances->nr; i++) {
		const struct dwarf_instance *in = &instances->list[i];

		send_place(to, in->outer, &in->place);
		send_text(to, in->name);
		buf__add(to, "", 1);
	}
	for (size_t i = 0; i < nr; i++)
		send_place(to, ordered[i]->instance, &ordered[i]->place);
	return buf__error(to);
}

/* Looks into one file, the one that ran or the one with its debug information. */
static int read_dwarf(Elf *elf, Elf *shared, struct dwarf_line *lines, size_t nr, struct buf *to)
{
	struct dwarf_instances instances = {0};
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf *other = dwarf && shared ? dwarf_begin_elf(shared, DWARF_C_READ, NULL) : NULL;
	int err;

	if (other)
		dwarf_setalt(dwarf, other);
	err = dwarf ? dwarf_lines__find(dwarf, lines, nr, &instances) : -ENODATA;
	if (!err)
		err = send_lines(lines, nr, &instances, to);
	dwarf_instances__release(&instances);
	dwarf_end(dwarf);
	dwarf_end(other);
	return err;
}

/* Looks into an open file. */
static int read_file(const struct source_query *q, const struct elf_file *file, struct buf *to)
{
	_cleanup_free_ struct dwarf_line *lines = NULL;
	int err = limit();

	if (!err)
		err = make_lines(q, file, &lines);
	if (!err)
		err = read_dwarf(file->elf, file->shared, lines, q->nr, to);
	return err == -ENODATA ? read_dwarf(file->debug, file->shared, lines, q->nr, to) : err;
}

/* Runs in a process of its own, which ends then. */
static int look(void *ctx, struct file_errand *found)
{
	const struct source_query *q = ctx;
	_cleanup_close_ int root = open(*q->root ? q->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -errno : open_object(q, root), err;
	const struct elf_place place = {root, root, q->path};
	struct elf_file file;

	if (fd < 0)
		return fd;
	err = elf_file__open_any(fd, &place, &file);
	if (!err)
		elf_file__open_shared(&file, &place);
	if (!err)
		err = read_file(q, &file, &found->bytes);
	elf_file__close(&file);
	return err;
}

/* Takes what comes next of what was sent. */
struct reader {
	const struct buf *text;
	size_t at;
	bool failed;
};

static uint32_t take_u32(struct reader *r)
{
	uint32_t value = 0;

	if (r->text->len - r->at < sizeof(value)) {
		r->failed = true;
		return 0;
	}
	memcpy(&value, r->text->data + r->at, sizeof(value));
	r->at += sizeof(value);
	return value;
}

static const char *take_string(struct reader *r)
{
	const char *string = (const char *)r->text->data + r->at;
	size_t left = r->text->len - r->at, len = left ? strnlen(string, left) : 0;

	if (len == left) {
		r->failed = true;
		return "";
	}
	r->at += len + 1;
	return string;
}

/* Takes a line, whose instance must be one of the first @nr. */
static struct source_line take_line(struct reader *r, size_t nr)
{
	struct source_line line = {.instance = take_u32(r)};

	line.line = take_u32(r);
	line.file = take_string(r);
	if (line.instance > nr)
		r->failed = true;
	return line;
}

static int take_instances(struct reader *r, struct source_lines *ret)
{
	size_t nr = take_u32(r);

	/* Each has two numbers and two strings at least. */
	if (r->failed || nr > r->text->len / 10)
		return -EBADMSG;
	ret->instances = calloc(nr + 1, sizeof(*ret->instances));
	if (!ret->instances)
		return -ENOMEM;
	for (ret->nr_instances = 0; ret->nr_instances < nr; ret->nr_instances++) {
		struct source_instance *in = &ret->instances[ret->nr_instances];

		in->where = take_line(r, ret->nr_instances);
		in->name = take_string(r);
	}
	return r->failed ? -EBADMSG : 0;
}

static int take_lines(struct reader *r, size_t nr, struct source_lines *ret)
{
	ret->lines = calloc(nr + 1, sizeof(*ret->lines));
	if (!ret->lines)
		return -ENOMEM;
	for (ret->nr = 0; ret->nr < nr; ret->nr++)
		ret->lines[ret->nr] = take_line(r, ret->nr_instances);
	return r->failed || r->at != r->text->len ? -EBADMSG : 0;
}

int source_lines__unpack(struct buf *text, size_t nr, struct source_lines *ret)
{
	struct reader r = {.text = &ret->text};
	int err;

	*ret = (struct source_lines){.text = *text};
	*text = (struct buf){0};
	err = take_instances(&r, ret);
	if (!err)
		err = take_lines(&r, nr, ret);
	if (err)
		source_lines__release(ret);
	return err;
}

int source_lines__find(const struct source_query *query, struct file_helper *helper, struct source_lines *ret)
{
	_cleanup_file_errand_ struct file_errand found = {0};
	struct source_query q = *query;
	int err = file_helper__run(helper, look, &q, &found);

	*ret = (struct source_lines){0};
	return err ? err : source_lines__unpack(&found.bytes, query->nr, ret);
}

void source_lines__release(struct source_lines *lines)
{
	free(lines->lines);
	free(lines->instances);
	buf__release(&lines->text);
	*lines = (struct source_lines){0};
}
