// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_triggers.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "gate/timer_probe.h"
#include "gate/trigger_functions.h"
#include "gate/trigger_tracepoints.h"
#include "loader/session_object.h"

#define MAX_PROGRAMS 32

struct gate_triggers {
	struct gate_triggers_opts opts;
	struct auxbpf_bpf *skel;
	struct trigger_functions *functions;
	struct trigger_tracepoints *tracepoints;
	struct auxbpf_trigger_state *states; /* mmapped */
	struct bpf_link *histories, *delays;
	bool skips_are_watched; /* on_trigger_skip stands in for skipped programs */
	bool spares;		/* the spares of system calls are of use */
	const char *root;
	bool oom_tells_task; /* found only if there is a rule for it, because that takes the kernel's types */
	struct ring_buffer *ring;
	/* These are of the running call of gate_triggers__consume(). */
	gate_triggers_fn fn;
	void *ctx;
};

/* A program, and whether the rules need it. */
struct trigger_program {
	struct bpf_program *prog;
	struct bpf_link **link;
	bool needed;
};

static uint64_t rules_of(const struct gate_triggers *gt, enum auxbpf_trigger_kind kind)
{
	return gt->skel->rodata->triggers.by_kind[kind];
}

/*
 * Whether the tracepoint mark_victim tells the victim as a task. That is its first argument, after the
 * callback's own.
 */
static bool oom_tells_task(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf__find_by_name_kind(btf, "btf_trace_mark_victim", BTF_KIND_TYPEDEF);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
	bool is_task = false;

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	if (type && btf_is_func_proto(type) && btf_vlen(type) > 1) {
		type = btf__type_by_id(btf, btf_params(type)[1].type);
		is_task = type && btf_is_ptr(type);
	}
	btf__free(btf);
	return is_task;
}

/* Whether there are rules. A snapshot that is asked for, or taken at the end, needs nothing kept of tasks. */
static bool has_rules(const struct gate_triggers *gt)
{
	return gt->skel->rodata->triggers.nr_rules;
}

static size_t list_programs(struct gate_triggers *gt, struct trigger_program *list)
{
	struct auxbpf_bpf *skel = gt->skel;
	bool rules = has_rules(gt);
	bool syscalls = rules_of(gt, AUXBPF_TRIGGER_SYSCALL);
	bool exec = rules_of(gt, AUXBPF_TRIGGER_EXEC) || rules_of(gt, AUXBPF_TRIGGER_FUNCTION);
	bool waits = rules_of(gt, AUXBPF_TRIGGER_OFFCPU) || rules_of(gt, AUXBPF_TRIGGER_RUNQ);
	bool forks = rules_of(gt, AUXBPF_TRIGGER_FORK), oom = rules_of(gt, AUXBPF_TRIGGER_OOM);
	bool softirqs = rules_of(gt, AUXBPF_TRIGGER_SOFTIRQ), irqs = rules_of(gt, AUXBPF_TRIGGER_IRQ);
	const struct trigger_program all[] = {
		{skel->progs.on_history_free, &skel->links.on_history_free, rules},
		{skel->progs.on_child, &skel->links.on_child, rules},
		{skel->progs.on_child_spare, &skel->links.on_child_spare, rules && !forks},
		{skel->progs.on_new_task, &skel->links.on_new_task, forks},
		{skel->progs.on_waking, &skel->links.on_waking, waits},
		{skel->progs.on_wakeup, &skel->links.on_wakeup, waits},
		{skel->progs.on_new_program, &skel->links.on_new_program, exec},
		{skel->progs.on_end, &skel->links.on_end, rules_of(gt, AUXBPF_TRIGGER_EXIT)},
		{skel->progs.on_signal, &skel->links.on_signal, rules_of(gt, AUXBPF_TRIGGER_SIGNAL)},
		{skel->progs.on_oom, &skel->links.on_oom, oom && gt->oom_tells_task},
		{skel->progs.on_oom_number, &skel->links.on_oom_number, oom && !gt->oom_tells_task},
		{skel->progs.on_softirq_begin, &skel->links.on_softirq_begin, softirqs},
		{skel->progs.on_softirq_end, &skel->links.on_softirq_end, softirqs},
		{skel->progs.on_irq_begin, &skel->links.on_irq_begin, irqs},
		{skel->progs.on_irq_end, &skel->links.on_irq_end, irqs},
		{skel->progs.on_interrupt, &skel->links.on_interrupt, syscalls},
		{skel->progs.on_return, &skel->links.on_return, syscalls},
		{skel->progs.on_return_spare, &skel->links.on_return_spare, syscalls && gt->spares},
		{skel->progs.on_call, &skel->links.on_call, syscalls},
		{skel->progs.on_call_spare, &skel->links.on_call_spare, syscalls && gt->spares},
		{skel->progs.make_histories, &gt->histories, rules},
		{skel->progs.make_delays, &gt->delays, skel->rodata->triggers.after},
	};

	_Static_assert(ARRAY_SIZE(all) <= MAX_PROGRAMS, "the callers' array");
	memcpy(list, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static void choose(struct gate_triggers *gt, bool wanted)
{
	struct trigger_program list[MAX_PROGRAMS];
	size_t nr = list_programs(gt, list);

	for (size_t i = 0; i < nr; i++)
		bpf_program__set_autoload(list[i].prog, wanted && list[i].needed);
	bpf_program__set_autoload(gt->skel->progs.on_switch, wanted && has_rules(gt));
	bpf_program__set_autoload(gt->skel->progs.on_trigger_skip, wanted && gt->skips_are_watched);
}

void gate_triggers__leave_out(struct auxbpf_bpf *skel)
{
	struct gate_triggers none = {.skel = skel};
	struct bpf_map *const maps[] = {
		skel->maps.trigger_rules,
		skel->maps.trigger_states,
		skel->maps.records,
		skel->maps.idle_records,
		skel->maps.histories,
		skel->maps.fired,
		skel->maps.delays,
		skel->maps.calls,
		skel->maps.trigger_syscalls,
		skel->maps.records_reserve,
		skel->maps.histories_reserve,
		skel->maps.calls_reserve,
		skel->maps.handlers,
	};

	choose(&none, false);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		bpf_map__set_autocreate(maps[i], false);
}

/* Tells the programs the rules, as sets. */
static void configure(struct gate_triggers *gt)
{
	struct auxbpf_triggers *to = (struct auxbpf_triggers *)&gt->skel->rodata->triggers;
	const struct trigger_set *rules = gt->opts.rules;

	to->scope = gt->opts.scope;
	to->lookback = gt->opts.lookback;
	to->after = gt->opts.after;
	to->nr_rules = (uint32_t)rules->nr;
	for (size_t i = 0; i < rules->nr; i++) {
		const struct trigger *rule = &rules->all[i];

		to->by_kind[rule->kind] |= 1ull << i;
		to->at_entry |= (uint64_t)rule->at_entry << i;
		to->conditions |= (uint64_t)rule->has_condition << i;
		if (rule->has_condition && rule->condition.nr_tests > to->nr_tests)
			to->nr_tests = rule->condition.nr_tests;
	}
	trigger_functions__tell(gt->functions, to);
	gt->oom_tells_task = rules_of(gt, AUXBPF_TRIGGER_OOM) && oom_tells_task();
	bpf_map__set_max_entries(gt->skel->maps.delays, gt->skel->rodata->config.nr_cpus);
}

/* Sizes the reserves that the rules need. The others keep their one element. */
static void size_reserves(struct gate_triggers *gt, uint64_t limit)
{
	if (has_rules(gt))
		session_object__size_reserve(gt->skel->maps.histories_reserve, limit);
	if (rules_of(gt, AUXBPF_TRIGGER_TRACEPOINT))
		session_object__size_reserve(gt->skel->maps.records_reserve, limit);
	if (rules_of(gt, AUXBPF_TRIGGER_FUNCTION))
		session_object__size_reserve(gt->skel->maps.calls_reserve, limit);
}

static void fill_syscalls(const struct trigger *rule, uint64_t bit, uint64_t *table)
{
	for (size_t nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
		if (rule->syscalls.native[nr / 64] >> nr % 64 & 1)
			table[nr] |= bit;
		if (rule->syscalls.compat[nr / 64] >> nr % 64 & 1)
			table[AUXBPF_MAX_SYSCALLS + nr] |= bit;
	}
}

static int write_rules(struct gate_triggers *gt)
{
	const struct trigger_set *set = gt->opts.rules;
	const size_t rules_size = AUXBPF_MAX_TRIGGERS * sizeof(struct auxbpf_condition);
	const size_t table_size = 2 * AUXBPF_MAX_SYSCALLS * sizeof(uint64_t);
	struct auxbpf_condition *rules = session_object__map_memory(gt->skel->maps.trigger_rules, rules_size);
	uint64_t *table = session_object__map_memory(gt->skel->maps.trigger_syscalls, table_size);
	int err = rules && table ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < set->nr; i++) {
		rules[i] = set->all[i].condition;
		if (set->all[i].kind == AUXBPF_TRIGGER_SYSCALL)
			fill_syscalls(&set->all[i], 1ull << i, table);
	}
	if (rules)
		munmap(rules, rules_size);
	if (table)
		munmap(table, table_size);
	return err;
}

static int take_fired(void *ctx, void *data, size_t size)
{
	struct gate_triggers *gt = ctx;

	if (size >= sizeof(struct auxbpf_fired))
		gt->fn(gt->ctx, data);
	return 0;
}

static int find_functions(struct gate_triggers *gt, const struct gate_triggers_session *session)
{
	const struct function_probes_opts opts = {
		.option = "--snapshot-on",
		.root = session->root,
		.wait = session->wait,
	};

	return trigger_functions__new(gt->opts.rules, &opts, session->pids, session->nr_pids, &gt->functions);
}

/* Loads the objects of single functions and tracepoints. */
static int load_others(struct gate_triggers *gt)
{
	const struct trigger_base base = {
		.main = gt->skel->obj,
		.config = (const struct auxbpf_config *)&gt->skel->rodata->config,
		.told = (const struct auxbpf_triggers *)&gt->skel->rodata->triggers,
	};
	int err = trigger_functions__load(gt->functions, &base);

	return err ? err : trigger_tracepoints__new(gt->opts.rules, gt->root, &base, &gt->tracepoints);
}

int gate_triggers__load(struct gate_triggers *gt)
{
	int err = write_rules(gt);

	if (err)
		return err;
	gt->states = session_object__map_memory(gt->skel->maps.trigger_states,
						AUXBPF_MAX_TRIGGERS * sizeof(struct auxbpf_trigger_state));
	gt->ring = ring_buffer__new(bpf_map__fd(gt->skel->maps.fired), take_fired, gt, NULL);
	if (!gt->ring)
		log_err("cannot map the BPF ring buffer of triggers: %s", strerror(errno));
	if (!gt->states || !gt->ring)
		return -ENOMEM;
	return load_others(gt);
}

int gate_triggers__new(const struct gate_triggers_opts *opts, const struct gate_triggers_session *session,
		       struct gate_triggers **ret)
{
	_cleanup_(cleanup__gate_triggers) struct gate_triggers *gt = calloc(1, sizeof(*gt));
	int err;

	if (!gt)
		return -ENOMEM;
	gt->opts = *opts;
	gt->skel = session->skel;
	gt->root = session->root;
	err = opts->after ? timer_probe__run(timer_probe__load) : 0;
	if (!err)
		err = find_functions(gt, session);
	if (err)
		return err;
	configure(gt);
	size_reserves(gt, session->memory_limit);
	gt->skips_are_watched = session->skips_are_watched;
	gt->spares = !gt->skips_are_watched;
	choose(gt, true);
	*ret = steal_ptr(gt);
	return 0;
}

int gate_triggers__add_processes(struct gate_triggers *gt, const int *pids, size_t nr)
{
	return function_probes__add_processes(trigger_functions__probes(gt->functions), pids, nr);
}

static int attach(struct bpf_program *prog, struct bpf_link **link)
{
	int err;

	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	err = -errno;
	log_err("cannot attach the BPF program %s: %s", bpf_program__name(prog), strerror(-err));
	return err;
}

/*
 * Makes the timers that wait, then the histories of tasks that are there. Later tasks are seen at their fork.
 */
static int iterate(struct gate_triggers *gt)
{
	int err = gt->delays ? session_object__iterate(gt->delays, NULL) : 0;

	if (!err && gt->histories)
		err = session_object__iterate(gt->histories, NULL);
	if (err)
		log_err("cannot go through the tasks: %s", strerror(-err));
	return err;
}

/*
 * Attaches the programs at rules' tracepoints first. Otherwise the trace would go on after the trigger,
 * through the programs there that note what tasks do.
 */
int gate_triggers__attach(struct gate_triggers *gt, const struct auxbpf_session *session)
{
	struct trigger_program list[MAX_PROGRAMS];
	int err = trigger_tracepoints__attach(gt->tracepoints);
	size_t nr;

	gt->spares = gt->spares && !session->no_preemption;
	nr = list_programs(gt, list);
	for (size_t i = 0; !err && i < nr; i++)
		err = list[i].needed ? attach(list[i].prog, list[i].link) : 0;
	if (!err)
		err = iterate(gt);
	if (err)
		return err;
	return function_probes__attach(trigger_functions__probes(gt->functions));
}

int gate_triggers__attach_switch(struct gate_triggers *gt)
{
	return has_rules(gt) ? attach(gt->skel->progs.on_switch, &gt->skel->links.on_switch) : 0;
}

void gate_triggers__detach(struct gate_triggers *gt)
{
	bpf_link__destroy(gt->histories);
	gt->histories = NULL;
	function_probes__detach(trigger_functions__probes(gt->functions));
	trigger_tracepoints__detach(gt->tracepoints);
}

int gate_triggers__fd(const struct gate_triggers *gt)
{
	return ring_buffer__epoll_fd(gt->ring);
}

void gate_triggers__consume(struct gate_triggers *gt, gate_triggers_fn fn, void *ctx)
{
	gt->fn = fn;
	gt->ctx = ctx;
	ring_buffer__consume(gt->ring);
}

struct auxbpf_trigger_state *gate_triggers__state(const struct gate_triggers *gt, uint32_t rule)
{
	return &gt->states[rule];
}

void gate_triggers__log_losses(const struct gate_triggers *gt)
{
	trigger_functions__log_uncalled(gt->functions);
	trigger_tracepoints__log_losses(gt->tracepoints);
}

void gate_triggers__free(struct gate_triggers *gt)
{
	if (!gt)
		return;
	trigger_functions__free(gt->functions);
	trigger_tracepoints__free(gt->tracepoints);
	bpf_link__destroy(gt->histories);
	bpf_link__destroy(gt->delays);
	ring_buffer__free(gt->ring);
	if (gt->states)
		munmap(gt->states, AUXBPF_MAX_TRIGGERS * sizeof(*gt->states));
	free(gt);
}
