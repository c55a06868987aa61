// SPDX-License-Identifier: GPL-2.0-only
#include "session/traced_cpus.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kernel/host_topology.h"

static int read_online_cpus(const char *root, int *cpus, size_t max)
{
	int n = host_topology__list_cpus(root, "online", cpus, (int)max);

	if (n < 0)
		log_err("cannot read which CPUs are online: %s", strerror(-n));
	return n;
}

int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max)
{
	int n = read_online_cpus(root, cpus, max);
	size_t at = 0;

	if (n < 0 || !targets->nr_cpus)
		return n;
	for (size_t i = 0; i < targets->nr_cpus; i++) {
		while (at < (size_t)n && cpus[at] < targets->cpus[i])
			at++;
		if (at == (size_t)n || cpus[at] != targets->cpus[i]) {
			log_err("-C: CPU %d is not online", targets->cpus[i]);
			return -ENODEV;
		}
	}
	memcpy(cpus, targets->cpus, targets->nr_cpus * sizeof(*cpus));
	return (int)targets->nr_cpus;
}
