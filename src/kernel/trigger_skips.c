// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/trigger_skips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kernel/session_object.h"
#include "kernel/skip_watch.h"
#include "trigger.skel.h"
#include "trigger_skip.skel.h"

struct trigger_skips {
	const struct trigger_bpf *of;
	struct trigger_skip_bpf *skel;
	struct skip_watch *watch; /* NULL: nobody stands in */
	bool possible;
};

/* The programs that can be skipped. */
struct skippable {
	const struct bpf_program *prog;
	__u32 *told;
	const char *events; /* NULL: it has a spare, where nothing stands in for it */
};

#define NR_SKIPPABLE 5

static void list_programs(const struct trigger_skips *skips, struct skippable *list)
{
	const struct trigger_bpf *of = skips->of;
	struct trigger_skip_bpf__rodata *told = skips->skel->rodata;
	const struct skippable all[NR_SKIPPABLE] = {
		{of->progs.on_call, (__u32 *)(uintptr_t)&told->on_call, NULL},
		{of->progs.on_return, (__u32 *)(uintptr_t)&told->on_return, NULL},
		{of->progs.on_new_task, (__u32 *)(uintptr_t)&told->on_new_task, "forks"},
		{of->progs.on_new_program, (__u32 *)(uintptr_t)&told->on_new_program, "execs"},
		{of->progs.on_end, (__u32 *)(uintptr_t)&told->on_end, "exits"},
	};

	memcpy(list, all, sizeof(all));
}

/* Programs that are not loaded have no number, and none is skipped. */
static int tell_ids(const struct trigger_skips *skips)
{
	struct skippable list[NR_SKIPPABLE];
	int err = 0;

	list_programs(skips, list);
	for (size_t i = 0; !err && i < NR_SKIPPABLE; i++)
		if (bpf_program__fd(list[i].prog) >= 0)
			err = skip_watch__program_id(list[i].prog, list[i].told);
	return err;
}

int trigger_skips__new(const struct trigger_bpf *skel, const struct trigger_base *base,
		       struct trigger_skips **ret)
{
	_cleanup_(cleanup__trigger_skips) struct trigger_skips *skips = calloc(1, sizeof(*skips));
	int err;

	if (!skips)
		return -ENOMEM;
	skips->of = skel;
	skips->possible = base->config->control != AUXBPF_CONTROL_BREAKPOINT && !base->told->after;
	skips->skel = SESSION_OBJECT_OPEN(trigger_skip_bpf, base->config->control);
	if (!skips->skel)
		return -errno;
	err = tell_ids(skips);
	if (!err)
		err = trigger_object__join(skips->skel->obj, base, (const void *)&skips->skel->rodata->config,
					   (const void *)&skips->skel->rodata->triggers);
	if (!err)
		err = trigger_skip_bpf__load(skips->skel);
	if (err) {
		log_err("cannot load the BPF program for what the kernel skips: %s; run with -v to see what "
			"it "
			"says",
			strerror(-err));
		return err;
	}
	*ret = steal_ptr(skips);
	return 0;
}

int trigger_skips__watch(struct trigger_skips *skips, uint64_t address, int nr_cpus)
{
	if (!skips->possible)
		return -EOPNOTSUPP;
	return skip_watch__new(address, skips->skel->progs.on_trigger_skip, nr_cpus, &skips->watch);
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
	trigger_skip_bpf__destroy(skips->skel);
	free(skips);
}
