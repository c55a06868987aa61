// SPDX-License-Identifier: GPL-2.0-only
#include "session/target_cgroups.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/log.h"
#include "containers/cgroup_tree.h"
#include "containers/container.h"
#include "containers/container_new.h"

/*
 * Runtimes write down a container's name after they made its cgroup: it is asked for so many times, at this
 * interval.
 */
#define LOOKS 50
#define LOOK_INTERVAL_NS 100000000
/* Users' functions are looked for in at most so many processes of new containers at a time. */
#define MAX_NEW_PROCESSES 256
/*
 * The paths of so many containers that are gone are kept, so that one that is made again is a target at once.
 */
#define MAX_GONE 64

/* At most so many new cgroups are looked at one by one. */
#define MAX_NEW 1024

/* Cgroups that were made and have no name yet. */
struct new_cgroups {
	char *paths[MAX_NEW];
	enum container_new verdicts[MAX_NEW];
	int looks_left[MAX_NEW];
	size_t nr;
};

struct target_cgroups {
	struct target_cgroups_opts opts;
	struct cgroup_tree *tree;
	char **paths; /* of the cgroups that were named, then those of containers as they were found */
	size_t nr_paths, nr_named;
	struct gate *gate;
	int timer_fd;
	struct new_cgroups new;
	bool look_at_all;    /* there are new cgroups that are not in the list */
	uint64_t dropped;    /* notices that the gate had no room for, as counted at the last look */
	int root_looks_left; /* targets have come whose processes may get another root */
};

static bool has_path(const struct target_cgroups *tc, const char *path)
{
	for (size_t i = 0; i < tc->nr_paths; i++)
		if (!strcmp(tc->paths[i], path))
			return true;
	return false;
}

/* Adds a copy of the path. Returns 1 if it is new, 0 if it is known, or -ENOMEM. */
static int add_path(struct target_cgroups *tc, const char *path)
{
	char **more;

	if (has_path(tc, path))
		return 0;
	more = reallocarray(tc->paths, tc->nr_paths + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	tc->paths = more;
	more[tc->nr_paths] = strdup(path);
	if (!more[tc->nr_paths])
		return -ENOMEM;
	tc->nr_paths++;
	return 1;
}

static int find_cgroup(struct target_cgroups *tc, const char *text)
{
	_cleanup_free_ char *path = NULL;
	int err = cgroup_tree__find(tc->tree, text, &path);

	if (!err)
		err = add_path(tc, path);
	return err < 0 ? err : 0;
}

/* Returns how many cgroups were not known before, or a negative errno. */
static int find_container(struct target_cgroups *tc, const char *text, enum container_wanted wanted)
{
	_cleanup_(container_paths__release) struct container_paths paths = {0};
	int found = 0, err = container__find(tc->tree, text, wanted, &paths);

	for (size_t i = 0; !err && i < paths.nr; i++) {
		int added = add_path(tc, paths.all[i]);

		if (added > 0)
			log_debug("%s is the cgroup %s", text, paths.all[i]);
		if (added < 0)
			err = added;
		else
			found += added;
	}
	return err ? err : found;
}

static int find_containers(struct target_cgroups *tc, enum container_wanted wanted)
{
	int found = 0;

	for (size_t i = 0; i < tc->opts.nr_containers; i++) {
		int n = find_container(tc, tc->opts.containers[i], wanted);

		if (n < 0)
			return n;
		found += n;
	}
	return found;
}

int target_cgroups__new(const struct target_cgroups_opts *opts, struct target_cgroups **ret)
{
	_cleanup_(cleanup__target_cgroups) struct target_cgroups *tc = calloc(1, sizeof(*tc));
	int err;

	if (!tc)
		return -ENOMEM;
	tc->opts = *opts;
	tc->timer_fd = -1;
	err = cgroup_tree__open(opts->root, &tc->tree);
	for (size_t i = 0; !err && i < opts->nr_cgroups; i++)
		err = find_cgroup(tc, opts->cgroups[i]);
	tc->nr_named = tc->nr_paths;
	if (!err)
		err = find_containers(tc, opts->wait ? CONTAINER_ONE_OR_NONE : CONTAINER_ONE);
	if (err < 0)
		return err;
	*ret = steal_ptr(tc);
	return 0;
}

/*
 * Returns how many ids were new to the gate, or a negative errno. The path of a cgroup that is gone meanwhile
 * is still told to the gate.
 */
static int add_once(struct target_cgroups *tc)
{
	_cleanup_cgroup_set_ struct cgroup_set set = {0};
	int err;

	for (size_t i = 0; i < tc->nr_paths; i++) {
		err = cgroup_tree__add_subtree(tc->tree, tc->paths[i], &set);
		if (err && err != -ENOENT)
			return err;
	}
	return gate__add_cgroups(tc->gate, set.ids, set.nr, tc->paths, tc->nr_paths);
}

void target_cgroups__note_roots(struct target_cgroups *tc)
{
	for (size_t i = 0; tc->opts.roots && i < tc->nr_paths; i++)
		container_roots__add_cgroup(tc->opts.roots, tc->tree, tc->paths[i]);
}

/*
 * Walks the cgroups until no new one is found: one that is made below a cgroup that the gate does not know
 * yet is missed by its programs, and perhaps by the walk, but found by the next walk.
 */
int target_cgroups__add(struct target_cgroups *tc, struct gate *gate)
{
	int n;

	tc->gate = gate;
	do {
		n = add_once(tc);
	} while (n > 0);
	target_cgroups__note_roots(tc);
	return n;
}

static void forget_path(struct target_cgroups *tc, size_t i)
{
	gate__forget_cgroup(tc->gate, tc->paths[i]);
	free(tc->paths[i]);
	tc->nr_paths--;
	memmove(&tc->paths[i], &tc->paths[i + 1], (tc->nr_paths - i) * sizeof(*tc->paths));
}

/*
 * Forgets paths of containers that are gone, as one that is started again and again has a new cgroup each
 * time. Returns how many of the gone ones stay in the list.
 */
static size_t forget_gone(struct target_cgroups *tc)
{
	size_t gone = 0;
	uint64_t id;

	for (size_t i = tc->nr_paths; i-- > tc->nr_named;) {
		if (!cgroup_tree__id(tc->tree, tc->paths[i], &id))
			continue;
		if (gone == MAX_GONE)
			forget_path(tc, i);
		else
			gone++;
	}
	return gone;
}

/* Looks for the containers. One may start before another of its name has ended: then both are traced. */
static int look(struct target_cgroups *tc)
{
	int found = find_containers(tc, CONTAINER_ALL);
	size_t nr;

	if (found <= 0)
		return found;
	nr = forget_gone(tc);
	nr = tc->nr_paths - nr;
	log_info("tracing %zu cgroup%s", nr, log__plural(nr));
	tc->root_looks_left = LOOKS;
	return target_cgroups__add(tc, tc->gate);
}

static int set_timer(struct target_cgroups *tc, long interval_ns)
{
	const struct itimerspec interval = {{0, interval_ns}, {0, interval_ns}};

	return timerfd_settime(tc->timer_fd, 0, &interval, NULL) ? -errno : 0;
}

/* Looks at the roots again, as a container's first process gets its root after the cgroup is made. */
static int look_into_roots(struct target_cgroups *tc)
{
	int pids[MAX_NEW_PROCESSES];
	size_t nr = target_cgroups__pids(tc, pids, MAX_NEW_PROCESSES);

	target_cgroups__note_roots(tc);
	return nr ? gate__add_processes(tc->gate, pids, nr) : 0;
}

static void drop_new(struct new_cgroups *new, size_t i)
{
	size_t last = --new->nr;

	free(new->paths[i]);
	new->paths[i] = new->paths[last];
	new->verdicts[i] = new->verdicts[last];
	new->looks_left[i] = new->looks_left[last];
}

/* Looks at the new cgroups, and at all containers only if one of the new may be a target. */
static int look_at_new(struct target_cgroups *tc)
{
	const struct container_wanted_names names = {tc->opts.containers, tc->opts.nr_containers};
	struct new_cgroups *new = &tc->new;
	bool all = tc->look_at_all;
	int err = container_new__judge(tc->tree, &names, new->paths, new->nr, new->verdicts);

	if (err) {
		log_err("cannot look for containers that have come: %s", strerror(-err));
		return err;
	}
	for (size_t i = new->nr; i-- > 0;) {
		all |= new->verdicts[i] == CONTAINER_NEW_NAMED;
		if (new->verdicts[i] != CONTAINER_NEW_UNTOLD || !--new->looks_left[i])
			drop_new(new, i);
	}
	tc->look_at_all = false;
	return all ? look(tc) : 0;
}

static int timer_ticked(void *ctx)
{
	struct target_cgroups *tc = ctx;
	uint64_t ticks;
	int err;

	if (read(tc->timer_fd, &ticks, sizeof(ticks)) < 0)
		return -errno;
	err = look_at_new(tc);
	if (!err && tc->root_looks_left) {
		tc->root_looks_left--;
		err = look_into_roots(tc);
	}
	return err || tc->new.nr || tc->root_looks_left ? err : set_timer(tc, 0);
}

static void add_new(struct target_cgroups *tc, const char *path)
{
	struct new_cgroups *new = &tc->new;
	char *copy = new->nr < MAX_NEW ? strdup(path) : NULL;

	if (!copy) {
		tc->look_at_all = true;
		return;
	}
	new->looks_left[new->nr] = LOOKS;
	new->paths[new->nr++] = copy;
}

/*
 * Notes a new cgroup. If its path is known it is a target again; if the path is cut off, all containers must
 * be looked at.
 */
static void note_new(void *ctx, const char *path)
{
	struct target_cgroups *tc = ctx;

	if (has_path(tc, path))
		tc->root_looks_left = LOOKS;
	else if (strlen(path) < AUXBPF_CGROUP_PATH - 1)
		add_new(tc, path);
	else
		tc->look_at_all = true;
}

static bool has_lost_notices(struct target_cgroups *tc)
{
	uint64_t before = tc->dropped;

	tc->dropped = 0;
	for (int cpu = 0; cpu < gate__nr_cpus(tc->gate); cpu++)
		tc->dropped += __atomic_load_n(&gate__cpu(tc->gate, cpu)->dropped, __ATOMIC_RELAXED);
	return tc->dropped != before;
}

static int cgroup_made(void *ctx)
{
	struct target_cgroups *tc = ctx;
	int err;

	gate__take_notices(tc->gate, note_new, tc);
	tc->look_at_all |= has_lost_notices(tc);
	err = look_at_new(tc);
	return err ? err : set_timer(tc, LOOK_INTERVAL_NS);
}

/* Notes a container without a name, which may get one later. */
static void note_untold(void *ctx, const struct container_info *info)
{
	if (info->kind == CONTAINER_CONTAINER && !info->name && !info->pod)
		add_new(ctx, info->path);
}

/* Looks for containers that came, or got their names, before the gate told of new ones. */
static int look_at_first(struct target_cgroups *tc)
{
	int err = container__list(tc->tree, note_untold, tc);

	if (err)
		log_err("cannot look for containers: %s", strerror(-err));
	if (!err)
		err = look(tc);
	return err ? err : set_timer(tc, LOOK_INTERVAL_NS);
}

int target_cgroups__watch(struct target_cgroups *tc, struct waiter *waiter)
{
	int err;

	if (!tc->opts.wait)
		return 0;
	tc->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (tc->timer_fd < 0)
		return -errno;
	err = waiter__add(waiter, tc->timer_fd, timer_ticked, tc);
	if (!err)
		err = waiter__add(waiter, gate__notices_fd(tc->gate), cgroup_made, tc);
	return err ? err : look_at_first(tc);
}

size_t target_cgroups__pids(const struct target_cgroups *tc, int *pids, size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < tc->nr_paths; i++)
		nr += cgroup_tree__pids(tc->tree, tc->paths[i], pids + nr, max - nr);
	return nr;
}

void target_cgroups__free(struct target_cgroups *tc)
{
	if (!tc)
		return;
	for (size_t i = 0; i < tc->nr_paths; i++)
		free(tc->paths[i]);
	free(tc->paths);
	while (tc->new.nr)
		free(tc->new.paths[--tc->new.nr]);
	cleanup__close(&tc->timer_fd);
	cgroup_tree__free(tc->tree);
	free(tc);
}
