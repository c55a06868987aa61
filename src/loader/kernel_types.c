// SPDX-License-Identifier: GPL-2.0-only
#include "loader/kernel_types.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/path.h"
#include "loader/btf_pass.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define SECTION "tp_btf/"
/* The typedefs that stand for tracepoints begin with this (include/trace/bpf_probe.h). */
#define TRACEPOINT "btf_trace_"
#define NR_MEMBERS 4

/* The BTF file: mapped, which works from 6.16 on (kernel/bpf/sysfs_btf.c), or read. */
struct image {
	void *map;
	size_t map_size;
	struct buf copy;
};

static void release_image(struct image *image)
{
	if (image->map)
		munmap(image->map, image->map_size);
	buf__release(&image->copy);
	*image = (struct image){0};
}

static int open_image(const char *root, struct image *image)
{
	_cleanup_close_ int fd = path__open(root, BTF_FILE);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	image->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	image->map_size = (size_t)st.st_size;
	if (image->map != MAP_FAILED)
		return 0;
	image->map = NULL;
	return path__read_all(fd, &image->copy);
}

static struct span types(const struct image *image)
{
	return image->map ? (struct span){image->map, image->map_size} : buf__span(&image->copy);
}

static int is_function(void *name, const struct btf_pass_type *type)
{
	return BTF_INFO_KIND(type->type->info) == BTF_KIND_FUNC && !strcmp(name, type->name);
}

int kernel_types__has_function(const char *root, const char *name)
{
	_cleanup_(release_image) struct image image = {0};
	int err = open_image(root, &image);
	struct span btf = types(&image);

	if (err || !btf_pass__may_have(btf.data, btf.len, name))
		return err;
	return btf_pass__run(btf.data, btf.len, is_function, (void *)(uintptr_t)name);
}

struct tracepoint {
	const char *name;
	uint32_t id;
};

/* The types of the running kernel. The names are in the image. */
static struct {
	bool known;
	struct image image;
	struct tracepoint *tracepoints;
	size_t nr, allocated;
	struct auxbpf_file_table files;
	unsigned int members; /* of struct auxbpf_file_table: a bit for each that was found */
} running;

static int add_tracepoint(const struct btf_pass_type *type)
{
	struct tracepoint *grown;

	if (running.nr == running.allocated) {
		grown = reallocarray(running.tracepoints, running.nr + 1024, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		running.tracepoints = grown;
		running.allocated += 1024;
	}
	running.tracepoints[running.nr++] = (struct tracepoint){type->name + strlen(TRACEPOINT), type->id};
	return 0;
}

static void find_members(const struct btf_pass_type *type)
{
	struct auxbpf_file_table *f = &running.files;
	const struct {
		const char *type, *member;
		__u32 *offset;
	} wanted[NR_MEMBERS] = {
		{"files_struct", "fdt", &f->table},
		{"fdtable", "max_fds", &f->size},
		{"fdtable", "fd", &f->files},
		{"file", "private_data", &f->object},
	};

	for (unsigned int i = 0; i < NR_MEMBERS; i++)
		if (!strcmp(type->name, wanted[i].type) &&
		    btf_pass__offset(type, wanted[i].member, wanted[i].offset))
			running.members |= 1u << i;
}

static int look_at(void *ctx, const struct btf_pass_type *type)
{
	switch (BTF_INFO_KIND(type->type->info)) {
	case BTF_KIND_TYPEDEF:
		return strncmp(type->name, TRACEPOINT, strlen(TRACEPOINT)) ? 0 : add_tracepoint(type);
	case BTF_KIND_STRUCT:
		find_members(type);
		return 0;
	default:
		return 0;
	}
}

/* Finds in one pass all that the start of a session asks for. */
static int know(void)
{
	struct span btf;
	int err;

	if (running.known)
		return 0;
	err = open_image("", &running.image);
	if (err)
		return err;
	btf = types(&running.image);
	err = btf_pass__run(btf.data, btf.len, look_at, NULL);
	running.known = !err;
	return err;
}

int kernel_types__file_table(struct auxbpf_file_table *ret)
{
	int err = know();

	if (!err && running.members != (1u << NR_MEMBERS) - 1)
		err = -ENOENT;
	*ret = running.files;
	return err;
}

static int find_tracepoint(const char *name, uint32_t *ret)
{
	int err = know();

	for (size_t i = 0; !err && i < running.nr; i++) {
		if (strcmp(running.tracepoints[i].name, name))
			continue;
		*ret = running.tracepoints[i].id;
		return 0;
	}
	return err ? err : -ENOENT;
}

void kernel_types__forget(void)
{
	release_image(&running.image);
	free(running.tracepoints);
	memset(&running, 0, sizeof(running));
}

static int choose_tracepoint(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	return find_tracepoint(bpf_program__section_name(prog) + strlen(SECTION), &opts->attach_btf_id);
}

static int attach_tracepoint(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

int kernel_types__serve_libbpf(void)
{
	static const struct libbpf_prog_handler_opts opts = {
		.sz = sizeof(opts),
		.prog_prepare_load_fn = choose_tracepoint,
		.prog_attach_fn = attach_tracepoint,
	};
	static bool done;
	int handler;

	if (done)
		return 0;
	handler = libbpf_register_prog_handler(SECTION, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, &opts);
	done = handler >= 0;
	return done ? 0 : handler;
}
