// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/trigger_skips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "auxbpf_trigger.h"
#include "auxbpf.skel.h"
#include "base/log.h"
#include "kernel/gate_object.h"
#include "kernel/skip_watch.h"

struct trigger_skips {
	struct auxbpf_bpf *skel;
	struct skip_watch *watch; /* NULL: nobody stands in */
};

/* The programs that can be skipped. */
struct skippable {
	const struct bpf_program *prog;
	__u64 *address;
	const char *events; /* NULL: it has a spare, where nothing stands in for it */
};

#define NR_SKIPPABLE 5

static void list_programs(const struct trigger_skips *skips, struct skippable *list)
{
	struct auxbpf_trigger_programs *in_kernel = &skips->skel->bss->memory.session.trigger_programs;
	const struct auxbpf_bpf *skel = skips->skel;
	const struct skippable all[NR_SKIPPABLE] = {
		{skel->progs.on_call, &in_kernel->on_call, NULL},
		{skel->progs.on_return, &in_kernel->on_return, NULL},
		{skel->progs.on_new_task, &in_kernel->on_new_task, "forks"},
		{skel->progs.on_new_program, &in_kernel->on_new_program, "execs"},
		{skel->progs.on_end, &in_kernel->on_end, "exits"},
	};

	memcpy(list, all, sizeof(all));
}

/* Programs that are not loaded have no address, and none is skipped. */
static int find_programs(const struct trigger_skips *skips)
{
	struct skippable list[NR_SKIPPABLE];
	int err = 0;

	list_programs(skips, list);
	for (size_t i = 0; !err && i < NR_SKIPPABLE; i++) {
		int fd = bpf_program__fd(list[i].prog);

		err = fd < 0 ? 0 : gate_object__find(skips->skel, fd, list[i].address);
	}
	if (err)
		log_err("cannot find BPF programs in the kernel: %s", strerror(-err));
	return err;
}

/* In the breakpoint way it cannot move a gate, and no timer can be started there. */
static bool can_stand_in(const struct auxbpf_bpf *skel)
{
	return skel->rodata->config.control != AUXBPF_CONTROL_BREAKPOINT && !skel->rodata->triggers.after;
}

int trigger_skips__new(struct auxbpf_bpf *skel, uint64_t counter, int nr_cpus, struct trigger_skips **ret)
{
	_cleanup_(cleanup__trigger_skips) struct trigger_skips *skips = calloc(1, sizeof(*skips));
	int err;

	if (!skips)
		return -ENOMEM;
	skips->skel = skel;
	err = can_stand_in(skel) ? skip_watch__new(counter, nr_cpus, &skips->watch) : 0;
	if (err == -ENOMEM)
		return err;
	*ret = steal_ptr(skips);
	return 0;
}

bool trigger_skips__are_watched(const struct trigger_skips *skips)
{
	return skips->watch;
}

int trigger_skips__attach(struct trigger_skips *skips, bool no_preemption)
{
	int err;

	if (!skips->watch)
		return 0;
	if (no_preemption) {
		skip_watch__free(skips->watch);
		skips->watch = NULL;
		return 0;
	}
	err = find_programs(skips);
	return err ? err : skip_watch__attach(skips->watch, skips->skel->progs.on_trigger_skip);
}

/* As the kernel counts them: of all tasks, targets or not. */
void trigger_skips__log_losses(const struct trigger_skips *skips)
{
	struct skippable list[NR_SKIPPABLE];
	uint64_t nr;

	list_programs(skips, list);
	for (size_t i = 0; i < NR_SKIPPABLE; i++) {
		nr = bpf_program__fd(list[i].prog) < 0 ? 0 : skip_watch__count(list[i].prog);
		if (nr && (skips->watch || !list[i].events))
			log_debug("the kernel skipped the program %s %llu times; %s stood in for it",
				  bpf_program__name(list[i].prog), (unsigned long long)nr,
				  skips->watch ? "another one" : "its spare");
		else if (nr)
			log_warn(
				"the kernel did not show %llu %s to BPF programs, of all tasks: another task "
				"of that CPU was in the middle of one",
				(unsigned long long)nr, list[i].events);
	}
}

void trigger_skips__free(struct trigger_skips *skips)
{
	if (!skips)
		return;
	skip_watch__free(skips->watch);
	free(skips);
}
