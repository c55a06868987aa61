// SPDX-License-Identifier: GPL-2.0-only
#include "rings/gate_moved.h"
#include "trace/perf_event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gate/gate_kept.h"
#include "gate/gate_moves.h"

/* The clocks of moves and of records may seem this far apart, in ns. */
#define SLACK 1000000
/* Between two readings at most this far apart, in ns, the clocks run so evenly that SLACK holds. */
#define EVEN_TIME 60000000000ull

/* The state of a CPU at the last call. */
struct seen {
	struct clock_pair clocks;
	uint64_t refused;
};

struct gate_moved {
	const struct gate *gate;
	const struct cpu_trace *cpus;
	uint64_t ring[AUXBPF_GATE_MOVES]; /* of one CPU */
	struct seen seen[];
};

int gate_moved__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, struct gate_moved **ret)
{
	struct gate_moved *moved = calloc(1, sizeof(*moved) + nr * sizeof(moved->seen[0]));

	*ret = moved;
	if (!moved)
		return -ENOMEM;
	moved->gate = gate;
	moved->cpus = cpus;
	for (size_t i = 0; i < nr; i++)
		cpu_trace__clocks(&cpus[i], &moved->seen[i].clocks);
	return 0;
}

void gate_moved__free(struct gate_moved *moved)
{
	free(moved);
}

/*
 * Tells whether the noted times are right: a move that the kernel refused, or that user space makes, comes
 * later.
 */
static bool can_tell(const struct gate_moved *moved, size_t i, const struct clock_pair *now, uint64_t refused)
{
	const struct cpu_trace *cpu = &moved->cpus[i];
	struct tsc_conv conv;

	return now->perf - moved->seen[i].clocks.perf < EVEN_TIME &&
	       gate__control(moved->gate) != AUXBPF_CONTROL_IOCTL && refused == moved->seen[i].refused &&
	       !gate__cpu(moved->gate, cpu->cpu)->retry && !tsc_conv__read(cpu->ring.page, &conv);
}

static void read_moves(struct gate_moved *moved, size_t i, const struct clock_pair *now,
		       struct gate_moves *ret)
{
	uint64_t *ring = moved->ring;

	gate_kept__copy_moves(gate__kept(moved->gate), moved->cpus[i].cpu, ring);
	for (size_t n = 0; n < AUXBPF_GATE_MOVES; n++)
		if (ring[n])
			ring[n] = clock_pair__between(&moved->seen[i].clocks, now, ring[n] >> 1) << 1 |
				  (ring[n] & 1);
	gate_moves__sort(ring, AUXBPF_GATE_MOVES, ret);
}

static uint64_t nr_refused(const struct gate_moved *moved, size_t i)
{
	return gate__cpu(moved->gate, moved->cpus[i].cpu)->refused;
}

void gate_moved__skip(struct gate_moved *moved, size_t i)
{
	cpu_trace__clocks(&moved->cpus[i], &moved->seen[i].clocks);
	moved->seen[i].refused = nr_refused(moved, i);
}

int gate_moved__filter(struct gate_moved *moved, size_t i, struct span records, struct buf *to)
{
	const uint64_t refused = nr_refused(moved, i);
	struct gate_moves moves = {0};
	struct clock_pair now;
	int err = 0;

	cpu_trace__clocks(&moved->cpus[i], &now);
	if (can_tell(moved, i, &now, refused)) {
		read_moves(moved, i, &now, &moves);
		err = gate_moves__filter(&moves, SLACK, now.perf, records, PERF_EVENT_SAMPLE_TYPE, to);
	} else {
		buf__add(to, records.data, records.len);
		err = buf__error(to);
	}
	moved->seen[i] = (struct seen){now, refused};
	return err;
}
