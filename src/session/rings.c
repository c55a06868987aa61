// SPDX-License-Identifier: GPL-2.0-only
#include "session/rings.h"

#include <errno.h>
#include <stdlib.h>

#include "pure/aux_account.h"
#include "session/losses.h"

struct cpu_ring {
	struct rings *rings;
	struct cpu_trace *cpu;
	size_t shown; /* bytes of its records that were shown */
	struct aux_account account;
};

struct rings {
	struct capture_file *file;
	struct recorder *recorder; /* NULL: all is kept */
	size_t nr;
	struct cpu_ring all[];
};

static int drain(void *ctx)
{
	struct cpu_ring *ring = ctx;
	struct rings *rings = ring->rings;
	struct buf *sideband = &ring->cpu->sideband;
	int err = cpu_trace__drain(ring->cpu);
	const struct span new = {sideband->data + ring->shown, sideband->len - ring->shown};

	if (!err)
		err = capture_file__follow(rings->file, new);
	aux_account__add(&ring->account, new, CPU_TRACE_SAMPLE_TYPE);
	ring->shown = sideband->len;
	if (err || !rings->recorder)
		return err;
	err = recorder__follow(rings->recorder, (size_t)(ring - rings->all), new);
	buf__release(sideband);
	ring->shown = 0;
	return err;
}

int rings__drain(void *ctx)
{
	struct rings *rings = ctx;
	int err = 0;

	for (size_t i = 0; !err && i < rings->nr; i++)
		err = drain(&rings->all[i]);
	return err;
}

int rings__new(struct cpu_trace *cpus, size_t nr, struct capture_file *file, struct waiter *waiter,
	       struct rings **ret)
{
	_cleanup_(cleanup__rings) struct rings *rings =
		calloc(1, sizeof(*rings) + nr * sizeof(rings->all[0]));
	int err = 0;

	if (!rings)
		return -ENOMEM;
	rings->file = file;
	rings->nr = nr;
	for (size_t i = 0; !err && i < nr; i++) {
		rings->all[i] = (struct cpu_ring){.rings = rings, .cpu = &cpus[i]};
		err = waiter__add(waiter, cpu_trace__fd(&cpus[i]), drain, &rings->all[i]);
	}
	if (!err)
		*ret = steal_ptr(rings);
	return err;
}

void rings__set_recorder(struct rings *rings, struct recorder *recorder)
{
	rings->recorder = recorder;
}

void rings__log_losses(const struct rings *rings)
{
	for (size_t i = 0; i < rings->nr; i++) {
		const struct cpu_ring *ring = &rings->all[i];

		losses__log_records(ring->cpu->cpu, ring->account.lost);
		losses__log_stops(ring->cpu->cpu, ring->account.truncated);
	}
}

void rings__free(struct rings *rings)
{
	free(rings);
}
