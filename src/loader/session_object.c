// SPDX-License-Identifier: GPL-2.0-only
#include "loader/session_object.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/reserve.h"
#include "loader/helper_calls.h"
#include "loader/kernel_types.h"
#include "loader/libbpf_log.h"

/* Opens a copy of the ELF file, which libbpf does not need once it has opened it. */
int session_object__open(struct bpf_object_skeleton *skeleton, enum auxbpf_control control)
{
	_cleanup_free_ void *copy = malloc(skeleton->data_sz);
	int err;

	libbpf_log__forget();
	if (!copy)
		return -ENOMEM;
	memcpy(copy, skeleton->data, skeleton->data_sz);
	err = control == AUXBPF_CONTROL_TRACEPOINT
		      ? 0
		      : helper_calls__remove(copy, skeleton->data_sz, BPF_FUNC_trace_printk);
	skeleton->data = copy;
	if (!err)
		err = kernel_types__serve_libbpf();
	if (!err)
		err = bpf_object__open_skeleton(skeleton, NULL);
	skeleton->data = NULL;
	return err;
}

void session_object__log_load_error(int err)
{
	const char *first = libbpf_log__first();
	char text[128];

	/* Some errors are libbpf's own. */
	libbpf_strerror(err, text, sizeof(text));
	if (err == -EPERM)
		log_err("cannot load the BPF programs: not permitted; run as root");
	else
		log_err("cannot load the BPF programs: %s%s%s%s; run with -v to see what libbpf says", text,
			*first ? " (it began with: " : "", first, *first ? ")" : "");
}

/* Tells whether this is the map with struct auxbpf_memory. The object's name comes before the suffix. */
static bool is_memory(const struct bpf_map *map)
{
	const char *suffix = strchr(bpf_map__name(map), '.');

	return bpf_map__is_internal(map) && suffix && !strcmp(suffix, ".bss");
}

static struct bpf_map *find_memory(const struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		if (is_memory(map))
			return map;
	}
	return NULL;
}

/* Returns the map of @from that @map shares; NULL if there is none. Other internal maps are an object's
 * own. */
static struct bpf_map *find_shared(const struct bpf_object *from, const struct bpf_map *map)
{
	if (is_memory(map))
		return find_memory(from);
	return bpf_map__is_internal(map) ? NULL : bpf_object__find_map_by_name(from, bpf_map__name(map));
}

static int share_maps(struct bpf_object *object, const struct bpf_object *from)
{
	struct bpf_map *map, *shared;
	int err = 0;

	bpf_object__for_each_map(map, object)
	{
		shared = find_shared(from, map);
		if (!err && shared && bpf_map__value_size(shared) != bpf_map__value_size(map))
			err = -EINVAL;
		if (!err && shared)
			err = bpf_map__reuse_fd(map, bpf_map__fd(shared));
	}
	return err;
}

int session_object__join(struct bpf_object *object, struct bpf_object *main, const void *to,
			 const struct auxbpf_config *config)
{
	int err = share_maps(object, main);

	/* The skeleton's memory is writable until the object is loaded; only its type says otherwise. */
	memcpy((void *)(uintptr_t)to, config, sizeof(*config));
	return err;
}

void *session_object__map_memory(const struct bpf_map *map, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem != MAP_FAILED)
		return mem;
	log_err("cannot map the BPF map %s: %s", bpf_map__name(map), strerror(errno));
	return NULL;
}

int session_object__iterate(const struct bpf_link *link, struct buf *ret)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(link));
	char chunk[4096];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		if (ret)
			buf__add(ret, chunk, (size_t)n);
	if (n < 0)
		return -errno;
	return ret ? buf__error(ret) : 0;
}

int session_object__run(const struct bpf_program *prog, int cpu)
{
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = cpu;
	}
	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
}

void session_object__size_reserve(struct bpf_map *map, uint64_t limit)
{
	uint32_t entries = reserve__entries(limit, bpf_map__value_size(map));

	bpf_map__set_max_entries(map, entries);
	log_debug("%s: %u tasks", bpf_map__name(map), entries);
}
