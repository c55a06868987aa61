// SPDX-License-Identifier: GPL-2.0-only
#include "files/build_ids.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "files/foreign_elf.h"
#include "perfdata/feature.h"

/* Limits the notes of the kernel and of modules: /sys/kernel/notes has a few hundred bytes. */
#define NOTES_MAX 4096
/* Limits all notes of a file together: libelf keeps what it has read. */
#define ELF_NOTES_MAX (1u << 20)

static int find_in_notes(Elf_Data *data, struct build_id *ret)
{
	size_t pos = 0, name, desc;
	GElf_Nhdr note;

	while ((pos = gelf_getnote(data, pos, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || !note.n_descsz ||
		    memcmp((char *)data->d_buf + name, "GNU", 4))
			continue;
		ret->size = note.n_descsz < BUILD_ID_MAX ? (uint8_t)note.n_descsz : BUILD_ID_MAX;
		memcpy(ret->data, (char *)data->d_buf + desc, ret->size);
		return 0;
	}
	return -ENOENT;
}

/* Looks into the notes of a file that no program has: dwz makes such files, without segments. */
static int find_in_sections(Elf *elf, struct build_id *ret)
{
	size_t left = ELF_NOTES_MAX;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE || shdr.sh_flags & SHF_COMPRESSED)
			continue;
		data = foreign_elf__data(scn, left);
		if (data && !find_in_notes(data, ret))
			return 0;
		left -= data ? shdr.sh_size : 0;
	}
	return -ENOENT;
}

static int find_in_elf(Elf *elf, struct build_id *ret)
{
	size_t nr, i, left = ELF_NOTES_MAX;

	if (elf_getphdrnum(elf, &nr))
		return -ENOEXEC;
	if (!nr)
		return find_in_sections(elf, ret);
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		data = foreign_elf__segment(elf, &phdr, phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR, left);
		if (data && !find_in_notes(data, ret))
			return 0;
		left -= data ? phdr.p_filesz : 0;
	}
	return -ENOENT;
}

int build_id__read_elf(int fd, struct build_id *ret)
{
	Elf *elf;
	int err;

	*ret = (struct build_id){0};
	elf = foreign_elf__begin(fd);
	if (!elf)
		return -ENOEXEC;
	err = find_in_elf(elf, ret);
	elf_end(elf);
	return err;
}

bool build_id__equals(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

bool build_id__is_of(const struct build_id *id, int fd)
{
	struct build_id found;

	return !build_id__read_elf(fd, &found) && build_id__equals(&found, id);
}

void build_id__digits(const struct build_id *id, char *digits)
{
	*digits = '\0';
	for (int i = 0; i < id->size && i < BUILD_ID_MAX; i++)
		snprintf(digits + 2 * i, 3, "%02x", id->data[i]);
}

void build_id__path(const struct build_id *id, char *path)
{
	char digits[BUILD_ID_DIGITS_SIZE];

	build_id__digits(id, digits);
	snprintf(path, BUILD_ID_PATH_SIZE, ".build-id/%.2s/%s", digits, *digits ? digits + 2 : "");
}

/* Reads notes that have no ELF file around them, in the byte order of this machine. */
static int read_notes(int fd, struct build_id *ret)
{
	char notes[NOTES_MAX] __attribute__((aligned(8)));
	ssize_t len = read(fd, notes, sizeof(notes));
	Elf_Data data = {.d_buf = notes, .d_type = ELF_T_NHDR, .d_version = EV_CURRENT, .d_align = 4};

	*ret = (struct build_id){0};
	if (len < 0)
		return -errno;
	data.d_size = (size_t)len;
	return find_in_notes(&data, ret);
}

int build_id__read_kernel(const char *root, struct build_id *ret)
{
	_cleanup_close_ int fd = path__open(root, "/sys/kernel/notes");

	return fd < 0 ? fd : read_notes(fd, ret);
}

int build_id__read_module(const char *root, const char *module, struct build_id *ret)
{
	_cleanup_close_ int fd = path__open(root, "/sys/module/%s/notes/.note.gnu.build-id", module);

	return fd < 0 ? fd : read_notes(fd, ret);
}

struct inode {
	uint64_t dev;
	uint64_t ino;
	struct build_id id;
};

struct named_file {
	struct build_id id;
	char name[];
};

struct build_id_set {
	void *inodes; /* search trees: of struct inode, of struct named_file, of the names in the table */
	void *files;
	void *names;
	struct buf table;
};

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->dev < y->dev ? -1 : x->dev > y->dev;
}

static int compare_files(const void *a, const void *b)
{
	const struct named_file *x = a, *y = b;
	int order = memcmp(x->id.data, y->id.data, sizeof(x->id.data));

	return order ? order : strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

int build_id_set__new(struct build_id_set **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void build_id_set__free(struct build_id_set *set)
{
	if (!set)
		return;
	tdestroy(set->inodes, free);
	tdestroy(set->files, free);
	tdestroy(set->names, free);
	buf__release(&set->table);
	free(set);
}

const struct build_id *build_id_set__find(const struct build_id_set *set, uint64_t dev, uint64_t ino)
{
	const struct inode key = {.dev = dev, .ino = ino};
	struct inode *const *found = tfind(&key, &set->inodes, compare_inodes);

	return found ? &(*found)->id : NULL;
}

int build_id_set__note(struct build_id_set *set, uint64_t dev, uint64_t ino, const struct build_id *id)
{
	struct inode *inode = malloc(sizeof(*inode));
	void **found;

	if (!inode)
		return -ENOMEM;
	*inode = (struct inode){dev, ino, *id};
	found = tsearch(inode, &set->inodes, compare_inodes);
	if (!found || *found != inode)
		free(inode);
	return found ? 0 : -ENOMEM;
}

/* Names are not unique: in different root directories a name is that of different files. */
int build_id_set__use(struct build_id_set *set, const char *name, const struct build_id *id)
{
	size_t len = strlen(name) + 1;
	struct named_file *file = malloc(sizeof(*file) + len);
	void **found;

	if (!file)
		return -ENOMEM;
	file->id = *id;
	memcpy(file->name, name, len);
	found = tsearch(file, &set->files, compare_files);
	if (!found || *found != file)
		free(file);
	return found ? 0 : -ENOMEM;
}

int build_id_set__add(struct build_id_set *set, const char *name, uint16_t misc, const struct build_id *id)
{
	char *copy;
	void **found;

	if (!id->size || tfind(name, &set->names, compare_names))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	found = tsearch(copy, &set->names, compare_names);
	if (!found) {
		free(copy);
		return -ENOMEM;
	}
	feature__add_build_id(&set->table, id, misc, name);
	return buf__error(&set->table);
}

struct span build_id_set__table(const struct build_id_set *set)
{
	return buf__span(&set->table);
}

struct each {
	int (*fn)(void *ctx, const char *name, const struct build_id *id);
	void *ctx;
	int err;
};

static void visit_file(const void *node, VISIT which, void *closure)
{
	const struct named_file *file = *(const struct named_file *const *)node;
	struct each *each = closure;

	if (!each->err && (which == postorder || which == leaf))
		each->err = each->fn(each->ctx, file->name, &file->id);
}

int build_id_set__each_used(const struct build_id_set *set,
			    int (*fn)(void *ctx, const char *name, const struct build_id *id), void *ctx)
{
	struct each each = {fn, ctx, 0};

	twalk_r(set->files, visit_file, &each);
	return each.err;
}
