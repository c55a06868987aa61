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

/* Both are in order. Moves those that are listed to the front. */
static int move_listed(int *cpus, size_t nr, const struct target_set *targets)
{
	_cleanup_free_ int *online = calloc(nr, sizeof(*online));
	size_t listed = 0, others = targets->nr_cpus;

	if (!online)
		return -ENOMEM;
	memcpy(online, cpus, nr * sizeof(*cpus));
	for (size_t i = 0; i < nr && others <= nr; i++)
		if (listed < targets->nr_cpus && online[i] == targets->cpus[listed])
			cpus[listed++] = online[i];
		else if (others < nr)
			cpus[others++] = online[i];
	if (listed == targets->nr_cpus)
		return (int)listed;
	log_err("-C: CPU %d is not online", targets->cpus[listed]);
	return -ENODEV;
}

int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all)
{
	int n = read_online_cpus(root, cpus, max);

	if (n < 0)
		return n;
	*nr_all = (size_t)n;
	return targets->nr_cpus ? move_listed(cpus, (size_t)n, targets) : n;
}
