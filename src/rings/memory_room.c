// SPDX-License-Identifier: GPL-2.0-only
#include "rings/memory_room.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/capture_opts.h"
#include "containers/memory_limit.h"
#include "gate/window_ring.h"
#include "rings/snapshot_sideband.h"

/*
 * The least that auxbpf, its maps and BPF programs take, in bytes: 22 MiB on Linux 6.18 with few tasks, two
 * CPUs and samples.
 */
#define OWN_MEMORY (24ull << 20)
/*
 * Files may take one part in so many of the memory that is left: more tasks, and writing a file, need the
 * rest.
 */
#define FILES_PART 2

/*
 * The kept sideband is in memory three times while a file is made of it, and exceeds its limit by up to one
 * ring at each drain. A stream holds the records of its rings twice.
 */
#define KEPT_COPIES 3
#define STREAM_COPIES 2

/* The windows are copied while a file is made. */
#define WINDOW_COPIES 2

/*
 * Records of mappings may take 1/MAPS_PART of the machine's memory, or MAPS_AT_LEAST if that is more, but at
 * most 1/MAPS_OF_LIMIT of the cgroup's limit. One MiB holds 8,000 mappings.
 */
#define MAPS_PART 2048
#define MAPS_AT_LEAST (8ull << 20)
#define MAPS_OF_LIMIT 16

static bool is_in_memory(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

static unsigned long long mib(uint64_t bytes)
{
	return bytes >> 20;
}

size_t memory_room__maps(const char *root)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	const uint64_t limit = memory_limit__read(root) / MAPS_OF_LIMIT;
	uint64_t max = pages > 0 ? (uint64_t)pages * (uint64_t)size / MAPS_PART : 0;

	if (max < MAPS_AT_LEAST)
		max = MAPS_AT_LEAST;
	return max < limit ? max : limit;
}

uint64_t memory_room__windows(const struct capture_opts *opts)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	const uint64_t nr_cpus = nr > 0 ? (uint64_t)nr : 1;

	if (!window_set__has_calls(opts->windows))
		return 0;
	return WINDOW_COPIES * nr_cpus * window_ring__size((uint32_t)nr_cpus) * sizeof(struct auxbpf_window);
}

int memory_room__check(const struct capture_opts *opts, size_t nr_all)
{
	const uint64_t limit = memory_limit__read(opts->root);
	const uint64_t kept = KEPT_COPIES * (uint64_t)(SNAPSHOT_SIDEBAND_LEAST + CPU_TRACE_RING_SIZE) +
			      AUXBPF_GATE_MOVES * sizeof(uint64_t);
	const uint64_t all = nr_all * (opts->stream ? STREAM_COPIES * (uint64_t)CPU_TRACE_RING_SIZE : kept);

	const uint64_t own = OWN_MEMORY + memory_room__windows(opts);

	if (limit >= all + own)
		return 0;
	log_err("the memory for records of tasks and switches of %zu CPUs is %llu MiB, with %llu MiB for "
		"auxbpf "
		"itself, and its cgroup may use %llu MiB: allow it more (MemoryMax= of its service)",
		nr_all, mib(all), mib(own), mib(limit));
	return -ENOMEM;
}

size_t memory_room__sideband(const char *root, size_t nr_all, uint64_t spares, size_t wanted)
{
	const uint64_t limit = memory_limit__read(root), need = spares + OWN_MEMORY;
	const uint64_t each = limit > need ? (limit - need) / nr_all / KEPT_COPIES : 0;
	const uint64_t max = each > CPU_TRACE_RING_SIZE ? each - CPU_TRACE_RING_SIZE : 0;

	return wanted < max ? wanted : (size_t)max;
}

/* Without enough room the kernel would kill auxbpf. It does not charge the buffers of traces and samples. */
int memory_room__find(const struct capture_opts *opts, unsigned int spares, uint64_t size,
		      uint64_t *max_bytes)
{
	const char *dir = opts->output;
	uint64_t limit = memory_limit__read(opts->root), files;
	const uint64_t own = OWN_MEMORY + memory_room__windows(opts), need = spares * size + own;

	if (limit < need) {
		log_err("the memory for %u snapshot%s at a time is %llu MiB, with %llu MiB for auxbpf "
			"itself, and its cgroup may use %llu MiB: allow it more (MemoryMax= of its "
			"service), or try a smaller --aux-size (-M of samples) or --spare, or fewer CPUs "
			"with -C",
			spares, log__plural(spares), mib(spares * size), mib(own), mib(limit));
		return -ENOMEM;
	}
	files = (limit - need) / FILES_PART;
	if (limit == UINT64_MAX || !is_in_memory(dir) || (*max_bytes && *max_bytes <= files))
		return 0;
	*max_bytes = files ?: 1;
	log_warn("%s is in memory, of which auxbpf's cgroup may use %llu MiB: --max-size is %llu MiB; "
		 "write to a disk, or allow it more (MemoryMax= of its service)",
		 dir, mib(limit), mib(files));
	return 0;
}
