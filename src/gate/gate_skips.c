// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_skips.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "gate/gate_object.h"
#include "loader/session_object.h"
#include "skip_counter.skel.h"

DEFINE_CLEANUP(skip_counter_bpf, struct skip_counter_bpf *, skip_counter_bpf__destroy)

static int ask(uint64_t *counter)
{
	_cleanup_(cleanup__skip_counter_bpf) struct skip_counter_bpf *skel =
		SESSION_OBJECT_OPEN_ALONE(skip_counter_bpf);
	int err;

	if (!skel || skip_counter_bpf__load(skel)) {
		err = -errno;
		session_object__log_load_error(err);
		return err;
	}
	err = session_object__run(skel->progs.find_counting_function, -1);
	if (err)
		log_err("cannot run the BPF program find_counting_function: %s", strerror(-err));
	else
		*counter = skel->bss->counting_function;
	return err;
}

static bool can_stand_in_for_triggers(const struct gate_opts *opts)
{
	return opts->triggers && !opts->triggers->after;
}

/*
 * In the breakpoint way nothing can stand in: within the exception of a breakpoint no other one is seen, so
 * the gate could not be moved.
 */
int gate_skips__find(const struct gate_opts *opts, struct skip_watch **watch)
{
	uint64_t counter = 0;
	int err;

	if (opts->control == AUXBPF_CONTROL_BREAKPOINT ||
	    !(opts->windows->has_syscalls || can_stand_in_for_triggers(opts)))
		return 0;
	err = ask(&counter);
	if (err)
		return err;
	err = skip_watch__new(counter, opts->nr_cpus, watch);
	return err == -ENOMEM ? err : 0;
}

bool gate_skips__watch_triggers(const struct gate_opts *opts, const struct skip_watch *watch)
{
	return watch && can_stand_in_for_triggers(opts);
}

int gate_skips__find_preemption(const struct auxbpf_bpf *skel)
{
	struct bpf_link *link = bpf_program__attach(skel->progs.find_preemption);

	if (!link) {
		log_err("cannot attach the BPF program find_preemption: %s", strerror(errno));
		return -errno;
	}
	syscall(SYS_getppid);
	bpf_link__destroy(link);
	return 0;
}

/* A program that can be skipped. */
struct skippable {
	const struct bpf_program *prog;
	struct auxbpf_skippable *in_kernel; /* NULL: no other one stands in for it */
	const char *events;
	bool has_spare; /* used where nothing else stands in for it */
};

#define NR_SKIPPABLE 11

static void list_programs(const struct auxbpf_bpf *skel, struct skippable *list)
{
	struct auxbpf_session *session = &skel->bss->memory.session;
	struct auxbpf_trigger_programs *triggers = &session->trigger_programs;
	const struct skippable all[NR_SKIPPABLE] = {
		{skel->progs.on_sys_enter, &session->on_sys_enter, "beginnings of system calls", true},
		{skel->progs.on_sys_exit, &session->on_sys_exit, "ends of system calls", true},
		{skel->progs.on_call, &triggers->on_call, "beginnings of system calls", true},
		{skel->progs.on_return, &triggers->on_return, "ends of system calls", true},
		{skel->progs.on_new_task, &triggers->on_new_task, "forks", false},
		{skel->progs.on_new_program, &triggers->on_new_program, "execs", false},
		{skel->progs.on_end, &triggers->on_end, "exits", false},
		{skel->progs.on_softirq_begin, NULL, "beginnings of soft interrupts", false},
		{skel->progs.on_softirq_end, NULL, "ends of soft interrupts", false},
		{skel->progs.on_irq_begin, NULL, "beginnings of interrupts", false},
		{skel->progs.on_irq_end, NULL, "ends of interrupts", false},
	};

	memcpy(list, all, sizeof(all));
}

static bool is_of_trigger(const struct auxbpf_bpf *skel, const struct skippable *s)
{
	return s->prog != skel->progs.on_sys_enter && s->prog != skel->progs.on_sys_exit;
}

/*
 * Finds the addresses of the programs in the kernel. One that is not loaded has none, and is never skipped.
 */
static int find_programs(struct auxbpf_bpf *skel, bool triggers)
{
	struct skippable list[NR_SKIPPABLE];
	int err = 0;

	list_programs(skel, list);
	for (size_t i = 0; !err && i < NR_SKIPPABLE; i++) {
		int fd = bpf_program__fd(list[i].prog);

		if (list[i].in_kernel && fd >= 0 && (triggers || !is_of_trigger(skel, &list[i])))
			err = gate_object__find(skel, fd, &list[i].in_kernel->address);
	}
	if (err)
		log_err("cannot find BPF programs in the kernel: %s", strerror(-err));
	return err;
}

int gate_skips__attach(const struct gate_opts *opts, struct auxbpf_bpf *skel, struct skip_watch *watch)
{
	bool triggers = gate_skips__watch_triggers(opts, watch);
	int err = find_programs(skel, triggers);

	if (err)
		return err;
	return skip_watch__attach(watch, triggers ? skel->progs.on_trigger_skip : skel->progs.on_skip);
}

/* How many of the skipped runs another program made up for. */
static uint64_t nr_made_up(const struct skippable *s)
{
	if (!s->in_kernel)
		return 0;
	return !s->in_kernel->address && s->has_spare ? skip_watch__count(s->prog) : s->in_kernel->stood_in;
}

void gate_skips__log_losses(const struct auxbpf_bpf *skel)
{
	struct skippable list[NR_SKIPPABLE];

	list_programs(skel, list);
	for (size_t i = 0; i < NR_SKIPPABLE; i++)
		skip_watch__log_losses(list[i].prog, nr_made_up(&list[i]), list[i].events);
}
