// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_kept.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "gate/window_ring.h"
#include "loader/session_object.h"

struct gate_kept {
	const struct auxbpf_cpu *cpus;
	uint64_t *moves; /* AUXBPF_GATE_MOVES for each CPU; NULL: they are not kept */
	size_t moves_size;
	struct auxbpf_window *windows; /* a ring for each CPU; NULL: they are not kept */
	size_t windows_size;
	uint32_t ring_size;
	int nr_rings;
	int nr_cpus;
	struct bpf_link *open; /* of the program that tells of open windows */
};

/* Windows may end on CPUs without trace, too. One that comes later may have a number beyond these. */
static uint32_t count_rings(const struct gate_opts *opts)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	return (uint32_t)(nr > opts->nr_cpus ? nr : opts->nr_cpus);
}

void gate_kept__configure(struct auxbpf_bpf *skel, const struct gate_opts *opts)
{
	struct auxbpf_config *config = (struct auxbpf_config *)&skel->rodata->config;
	const uint32_t nr_rings = count_rings(opts);

	config->keep_moves = opts->keep_moves;
	if (opts->keep_moves)
		bpf_map__set_max_entries(skel->maps.gate_moves_kept,
					 (uint32_t)opts->nr_cpus * AUXBPF_GATE_MOVES);
	bpf_program__set_autoload(skel->progs.tell_open_windows, window_set__has_calls(opts->windows));
	if (!window_set__has_calls(opts->windows))
		return;
	config->keep_windows = window_ring__size(nr_rings);
	bpf_map__set_max_entries(skel->maps.windows_kept, nr_rings * config->keep_windows);
}

static int map_moves(struct gate_kept *kept, struct auxbpf_bpf *skel, const struct gate_opts *opts)
{
	kept->moves_size = (size_t)opts->nr_cpus * AUXBPF_GATE_MOVES * sizeof(*kept->moves);
	kept->moves = session_object__map_memory(skel->maps.gate_moves_kept, kept->moves_size);
	return kept->moves ? 0 : -ENOMEM;
}

static int map_windows(struct gate_kept *kept, struct auxbpf_bpf *skel, const struct gate_opts *opts)
{
	kept->ring_size = skel->rodata->config.keep_windows;
	kept->nr_rings = (int)count_rings(opts);
	kept->windows_size = (size_t)kept->nr_rings * kept->ring_size * sizeof(*kept->windows);
	kept->windows = session_object__map_memory(skel->maps.windows_kept, kept->windows_size);
	if (!kept->windows)
		return -ENOMEM;
	kept->open = bpf_program__attach(skel->progs.tell_open_windows);
	if (kept->open)
		return 0;
	log_err("cannot attach the BPF program %s: %s", bpf_program__name(skel->progs.tell_open_windows),
		strerror(errno));
	return -errno;
}

int gate_kept__new(struct auxbpf_bpf *skel, const struct gate_opts *opts, struct gate_kept **ret)
{
	_cleanup_(cleanup__gate_kept) struct gate_kept *kept = calloc(1, sizeof(*kept));
	int err = 0;

	if (!kept)
		return -ENOMEM;
	kept->cpus = skel->bss->memory.cpus;
	kept->nr_cpus = (int)skel->rodata->config.nr_cpus;
	if (opts->keep_moves)
		err = map_moves(kept, skel, opts);
	if (!err && window_set__has_calls(opts->windows))
		err = map_windows(kept, skel, opts);
	if (!err)
		*ret = steal_ptr(kept);
	return err;
}

void gate_kept__free(struct gate_kept *kept)
{
	if (!kept)
		return;
	bpf_link__destroy(kept->open);
	if (kept->moves)
		munmap(kept->moves, kept->moves_size);
	if (kept->windows)
		munmap(kept->windows, kept->windows_size);
	free(kept);
}

void gate_kept__copy_moves(const struct gate_kept *kept, int cpu, uint64_t *to)
{
	memcpy(to, kept->moves + (size_t)cpu * AUXBPF_GATE_MOVES, AUXBPF_GATE_MOVES * sizeof(*to));
}

bool gate_kept__has_windows(const struct gate_kept *kept)
{
	return kept->windows;
}

int gate_kept__nr_cpus(const struct gate_kept *kept)
{
	return kept->nr_cpus;
}

uint64_t gate_kept__read_windows(const struct gate_kept *kept, int cpu, struct buf *to)
{
	const uint64_t ended = __atomic_load_n(&kept->cpus[cpu].windows_ended, __ATOMIC_ACQUIRE);

	if (cpu < kept->nr_rings)
		window_ring__read(kept->windows + (size_t)cpu * kept->ring_size, kept->ring_size, ended, to);
	return ended;
}

int gate_kept__read_open(const struct gate_kept *kept, struct buf *to)
{
	return session_object__iterate(kept->open, to);
}
