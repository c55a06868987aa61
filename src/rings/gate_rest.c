// SPDX-License-Identifier: GPL-2.0-only
#include "rings/gate_rest.h"

#include <errno.h>
#include <stdlib.h>

/* Marks a look at which the gate was open, or may have been. */
#define OPEN UINT64_MAX

struct gate_rest {
	const struct gate *gate;
	const struct cpu_trace *cpus;
	uint64_t looks[][2]; /* how often each CPU's gate had been opened at its last two looks, or OPEN */
};

int gate_rest__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, struct gate_rest **ret)
{
	struct gate_rest *rest = calloc(1, sizeof(*rest) + nr * sizeof(rest->looks[0]));

	*ret = rest;
	if (!rest)
		return -ENOMEM;
	rest->gate = gate;
	rest->cpus = cpus;
	for (size_t i = 0; i < nr; i++)
		rest->looks[i][0] = rest->looks[i][1] = OPEN;
	return 0;
}

void gate_rest__free(struct gate_rest *rest)
{
	free(rest);
}

/*
 * Compares with the look before the last one: records may have come between the last drain and the look after
 * it.
 */
bool gate_rest__look(struct gate_rest *rest, size_t i)
{
	const struct auxbpf_cpu *cpu = gate__cpu(rest->gate, rest->cpus[i].cpu);
	uint64_t opens = __atomic_load_n(&cpu->opens, __ATOMIC_RELAXED), *looks = rest->looks[i];
	bool rested;

	if (cpu->want_open || cpu->retry || gate__control(rest->gate) == AUXBPF_CONTROL_IOCTL)
		opens = OPEN;
	rested = opens != OPEN && opens == looks[0];
	looks[0] = looks[1];
	looks[1] = opens;
	return rested;
}
