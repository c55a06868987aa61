// SPDX-License-Identifier: GPL-2.0-only
#include "fires.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fires.skel.h"

#define MAX_FDS 1024

struct fires {
	struct fires_bpf *skel;
	struct ring_buffer *ring;
	FILE *to; /* where the running fires__print() prints to */
};

static bool is_map(int fd, const char *name)
{
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info);
	char path[32], what[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, what, sizeof(what) - 1) > 0 && !strcmp(what, "anon_inode:bpf-map") &&
	       !bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, name);
}

/* Finds a map of the gate, which is in this process, among our descriptors, and shares it. */
static int share_map(struct bpf_map *map)
{
	int fd = 0;

	while (fd < MAX_FDS && !is_map(fd, bpf_map__name(map)))
		fd++;
	return fd < MAX_FDS ? bpf_map__reuse_fd(map, fd) : -ENOENT;
}

static int print(void *ctx, void *data, size_t size)
{
	const struct task_event *e = data;
	struct fires *fires = ctx;

	fprintf(fires->to, "%llu %u %llu %llu %llu %s %u %u %s %u %d\n", (unsigned long long)e->time, e->tid,
		(unsigned long long)e->switches, (unsigned long long)e->left, (unsigned long long)e->ready,
		e->fired ? "fired" : "-", e->cpu, e->state, *e->waker ? e->waker : "-", e->pid, e->nr);
	return 0;
}

/* Loads only the programs at the events of the kind. */
static int choose_programs(struct fires_bpf *skel, enum auxbpf_trigger_kind kind)
{
	bool of_switches = kind == AUXBPF_TRIGGER_OFFCPU || kind == AUXBPF_TRIGGER_RUNQ;

	if (!of_switches && kind != AUXBPF_TRIGGER_SYSCALL && kind != AUXBPF_TRIGGER_EXIT &&
	    kind != AUXBPF_TRIGGER_SOFTIRQ && kind != AUXBPF_TRIGGER_IRQ)
		return -EINVAL;
	bpf_program__set_autoload(skel->progs.behind_switch, of_switches);
	bpf_program__set_autoload(skel->progs.behind_wakeup, of_switches);
	bpf_program__set_autoload(skel->progs.behind_fork, of_switches);
	bpf_program__set_autoload(skel->progs.behind_return, kind == AUXBPF_TRIGGER_SYSCALL);
	bpf_program__set_autoload(skel->progs.behind_exit, kind == AUXBPF_TRIGGER_EXIT);
	bpf_program__set_autoload(skel->progs.behind_softirq, kind == AUXBPF_TRIGGER_SOFTIRQ);
	bpf_program__set_autoload(skel->progs.behind_irq, kind == AUXBPF_TRIGGER_IRQ);
	return 0;
}

static int load(struct fires *fires, const char *name, enum auxbpf_trigger_kind kind)
{
	char *wanted;
	int err;

	fires->skel = fires_bpf__open();
	if (!fires->skel)
		return -errno;
	wanted = (char *)fires->skel->rodata->name;
	snprintf(wanted, sizeof(fires->skel->rodata->name), "%s", name);
	err = choose_programs(fires->skel, kind);
	if (!err)
		err = share_map(fires->skel->maps.trigger_states);
	if (!err)
		err = share_map(fires->skel->maps.histories);
	if (!err)
		err = fires_bpf__load(fires->skel);
	return err ?: fires_bpf__attach(fires->skel);
}

int fires__new(const char *name, enum auxbpf_trigger_kind kind, struct fires **ret)
{
	_cleanup_(cleanup__fires) struct fires *fires = calloc(1, sizeof(*fires));
	int err;

	if (!fires)
		return -ENOMEM;
	err = load(fires, name, kind);
	if (err)
		return err;
	fires->ring = ring_buffer__new(bpf_map__fd(fires->skel->maps.events), print, fires, NULL);
	if (!fires->ring)
		return -errno;
	*ret = steal_ptr(fires);
	return 0;
}

int fires__print(struct fires *fires, FILE *to)
{
	int nr;

	fires->to = to;
	nr = ring_buffer__consume(fires->ring);
	if (nr < 0)
		return nr;
	return fires->skel->bss->nr_lost ? -ENOSPC : 0;
}

void fires__free(struct fires *fires)
{
	if (!fires)
		return;
	ring_buffer__free(fires->ring);
	fires_bpf__destroy(fires->skel);
	free(fires);
}
