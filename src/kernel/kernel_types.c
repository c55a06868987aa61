// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kernel_types.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/path.h"
#include "pure/btf_pass.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define SECTION "tp_btf/"
/* Of the typedefs that stand for tracepoints (include/trace/bpf_probe.h). */
#define TRACEPOINT "btf_trace_"

/* The file: mapped, which kernels from 6.16 on can (kernel/bpf/sysfs_btf.c), or read. */
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

static int is_function(void *name, uint32_t id, const struct btf_type *type, const char *its)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && !strcmp(name, its);
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

/* Those of the running kernel; the names are in the image. */
static struct {
	struct image image;
	struct tracepoint {
		const char *name;
		uint32_t id;
	} * all;
	size_t nr, allocated;
} tracepoints;

static int add_tracepoint(void *ctx, uint32_t id, const struct btf_type *type, const char *name)
{
	struct tracepoint *grown;

	if (BTF_INFO_KIND(type->info) != BTF_KIND_TYPEDEF || strncmp(name, TRACEPOINT, strlen(TRACEPOINT)))
		return 0;
	if (tracepoints.nr == tracepoints.allocated) {
		grown = reallocarray(tracepoints.all, tracepoints.nr + 1024, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		tracepoints.all = grown;
		tracepoints.allocated += 1024;
	}
	tracepoints.all[tracepoints.nr++] = (struct tracepoint){name + strlen(TRACEPOINT), id};
	return 0;
}

static int find_tracepoint(const char *name, uint32_t *ret)
{
	int err = tracepoints.nr ? 0 : open_image("", &tracepoints.image);
	struct span btf = types(&tracepoints.image);

	if (!err && !tracepoints.nr)
		err = btf_pass__run(btf.data, btf.len, add_tracepoint, NULL);
	for (size_t i = 0; !err && i < tracepoints.nr; i++) {
		if (strcmp(tracepoints.all[i].name, name))
			continue;
		*ret = tracepoints.all[i].id;
		return 0;
	}
	return err ? err : -ENOENT;
}

void kernel_types__forget(void)
{
	release_image(&tracepoints.image);
	free(tracepoints.all);
	tracepoints.all = NULL;
	tracepoints.nr = tracepoints.allocated = 0;
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
