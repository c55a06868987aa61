// SPDX-License-Identifier: GPL-2.0-only
#include "commands/target_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "containers/id_names.h"
#include "rules/glob.h"

int target_options__add_name(const char *option, const char *name, const char ***list, size_t *nr)
{
	const char **more;

	if (!*name) {
		log_err("%s: the name is empty", option);
		return -EINVAL;
	}
	more = reallocarray(*list, *nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[(*nr)++] = name;
	*list = more;
	return 0;
}

int target_options__add_tasks(const char *option, const char *what, const char *list, int *ids, size_t *nr)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *item;

	if (!copy)
		return -ENOMEM;
	while ((item = strsep(&rest, ","))) {
		if (*nr == TARGET_OPTIONS_MAX_PIDS) {
			log_err("%s: more than %d", option, TARGET_OPTIONS_MAX_PIDS);
			return -EINVAL;
		}
		if (parse__pid(item, &ids[*nr])) {
			log_err("%s: '%s' is not a %s id", option, item, what);
			return -EINVAL;
		}
		(*nr)++;
	}
	return 0;
}

int target_options__add_comm(const char *pattern, struct target_set *targets)
{
	char message[256];

	if (glob__compile(&targets->comms, pattern, message, sizeof(message))) {
		log_err("--comm: %s", message);
		return -EINVAL;
	}
	targets->by_comm = true;
	return 0;
}

int target_options__add_users(const char *list, struct target_set *targets)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *item;

	if (!copy)
		return -ENOMEM;
	while ((item = strsep(&rest, ","))) {
		if (targets->nr_uids == AUXBPF_MAX_UIDS) {
			log_err("--uid: more than %d users", AUXBPF_MAX_UIDS);
			return -EINVAL;
		}
		if (id_names__user(item, &targets->uids[targets->nr_uids])) {
			log_err("--uid: there is no user '%s'", item);
			return -EINVAL;
		}
		targets->nr_uids++;
	}
	targets->by_uid = true;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int target_options__set_cpus(const char *list, struct target_set *targets)
{
	int n;

	free(targets->cpus);
	targets->cpus = calloc(AUXBPF_MAX_CPUS, sizeof(*targets->cpus));
	targets->nr_cpus = 0;
	if (!targets->cpus)
		return -ENOMEM;
	n = parse__cpu_list(list, targets->cpus, AUXBPF_MAX_CPUS);
	if (n <= 0 || n > AUXBPF_MAX_CPUS) {
		log_err("-C: '%s' is not a list of CPUs; write 0,2-5", list);
		return -EINVAL;
	}
	qsort(targets->cpus, (size_t)n, sizeof(*targets->cpus), compare_cpus);
	for (int i = 0; i < n; i++)
		if (!targets->nr_cpus || targets->cpus[targets->nr_cpus - 1] != targets->cpus[i])
			targets->cpus[targets->nr_cpus++] = targets->cpus[i];
	return 0;
}
