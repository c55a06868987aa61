// SPDX-License-Identifier: GPL-2.0-only
#include "gate/range_windows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "gate/skip_watch.h"
#include "gate/tracepoint_program.h"
#include "loader/session_object.h"
#include "symbols/kallsyms.h"
#include "window_range.skel.h"

struct range_windows {
	const struct window_set *set;
	struct window_range_bpf *skels[AUXBPF_MAX_RANGES];
	bool blind; /* the kernel's programs do not know an interrupt */
};

/* The programs at one end of a range, and what they have seen there. */
struct range_end {
	const struct range_point *point;
	const struct tracepoint_name *name;
	struct bpf_program *prog, *spare;
	struct bpf_link **link, **spare_link;
	bool by_task, by_interrupt;
};

#define RANGE_END(skel, at, end, program)                         \
	((struct range_end){                                      \
		.point = (at),                                    \
		.name = &(at)->name,                              \
		.prog = (skel)->progs.program,                    \
		.spare = (skel)->progs.program##_spare,           \
		.link = &(skel)->links.program,                   \
		.spare_link = &(skel)->links.program##_spare,     \
		.by_task = (skel)->data->end##_by_task,           \
		.by_interrupt = (skel)->data->end##_by_interrupt, \
	})

static struct range_end begin_of(const struct range_windows *rw, size_t range)
{
	struct window_range_bpf *skel = rw->skels[range];
	const struct range_point *at = &rw->set->ranges[range].begin;

	return rw->blind ? RANGE_END(skel, at, begin, on_begin_blind) : RANGE_END(skel, at, begin, on_begin);
}

static struct range_end end_of(const struct range_windows *rw, size_t range)
{
	struct window_range_bpf *skel = rw->skels[range];
	const struct range_point *at = &rw->set->ranges[range].end;

	return rw->blind ? RANGE_END(skel, at, end, on_end_blind) : RANGE_END(skel, at, end, on_end);
}

/* Tells whether the kernel has the names of variables (CONFIG_KALLSYMS_ALL), as that of its run queues. */
static int has_variables(const char *root)
{
	_cleanup_close_ int fd = path__open(root, "/proc/kallsyms");
	_cleanup_buf_ struct buf text = {0};
	int err = fd < 0 ? fd : path__read_all(fd, &text);
	struct kallsyms_symbol symbol;
	size_t pos = 0;

	if (err) {
		log_err("cannot read /proc/kallsyms: %s", strerror(-err));
		return err;
	}
	while (kallsyms__next(buf__span(&text), &pos, &symbol))
		if (kallsyms__name_is(symbol.name, "runqueues"))
			return true;
	return false;
}

static void choose_programs(const struct range_windows *rw, struct window_range_bpf *skel)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, skel->obj)
	{
		bpf_program__set_autoload(prog, !strstr(bpf_program__name(prog), "_blind") == !rw->blind);
	}
}

static int set_target(const struct range_end *end)
{
	const char *event = range_point__event(end->point);
	int err = tracepoint_program__set_target(end->prog, event);

	if (!err)
		err = tracepoint_program__set_target(end->spare, event);
	if (err)
		tracepoint_program__log_load_error(end->name, err);
	return err;
}

/*
 * In the way ioctl the gate is moved by a message, for which the programs take a lock. The tracepoints of locks are
 * hit while it is held (kernel/locking/qspinlock.c), so a program there would wait for itself.
 */
static int check_locks(const struct window_range *range, const struct auxbpf_config *config)
{
	if (config->control != AUXBPF_CONTROL_IOCTL || (strcmp(range->begin.name.category, "lock") != 0 &&
							strcmp(range->end.name.category, "lock") != 0))
		return 0;
	log_err("--on-range: the gate cannot be moved at tracepoints of locks in the way ioctl, because that "
		"takes locks itself; `auxbpf list` shows what the other ways need");
	return -EOPNOTSUPP;
}

static int load(struct range_windows *rw, size_t range, const struct auxbpf_config *config,
		struct bpf_object *main)
{
	struct window_range_bpf *skel = SESSION_OBJECT_OPEN(window_range_bpf, config->control);
	struct range_end begin, end;
	int err;

	if (!skel)
		return -errno;
	rw->skels[range] = skel;
	choose_programs(rw, skel);
	begin = begin_of(rw, range);
	end = end_of(rw, range);
	/* The skeleton's memory is writable until the object is loaded; only its type says otherwise. */
	*(__u32 *)(uintptr_t)&skel->rodata->range = 1u << range;
	*(__s32 *)(uintptr_t)&skel->rodata->begin_syscall = begin.point->syscall;
	*(__s32 *)(uintptr_t)&skel->rodata->end_syscall = end.point->syscall;
	err = session_object__join(skel->obj, main, (const void *)&skel->rodata->config, config);
	if (!err)
		err = set_target(&begin);
	if (!err)
		err = set_target(&end);
	if (err)
		return err;
	err = window_range_bpf__load(skel);
	if (err)
		log_err("cannot load the BPF programs from the tracepoint %s:%s to %s:%s: %s; run with -v to "
			"see "
			"what the kernel says",
			begin.name->category, begin.name->event, end.name->category, end.name->event,
			strerror(-err));
	return err;
}

static int find_variables(struct range_windows *rw, const char *root)
{
	int found = has_variables(root);

	rw->blind = !found;
	if (!found)
		log_warn("--on-range: this kernel does not tell BPF programs of interrupts (it has no "
			 "CONFIG_KALLSYMS_ALL); tracepoints that an interrupt hits count as the running "
			 "task's");
	return found < 0 ? found : 0;
}

int range_windows__new(const struct window_set *set, const char *root, const struct auxbpf_config *config,
		       struct bpf_object *main, struct range_windows **ret)
{
	_cleanup_(cleanup__range_windows) struct range_windows *rw = calloc(1, sizeof(*rw));
	int err;

	if (!rw)
		return -ENOMEM;
	rw->set = set;
	err = set->nr_ranges ? find_variables(rw, root) : 0;
	for (size_t i = 0; !err && i < set->nr_ranges; i++) {
		err = check_locks(&set->ranges[i], config);
		if (!err)
			err = load(rw, i, config, main);
	}
	if (!err)
		*ret = steal_ptr(rw);
	return err;
}

static int attach(const struct range_end *end)
{
	int err = tracepoint_program__attach(end->prog, end->name, end->link);

	return err ? err : tracepoint_program__attach(end->spare, end->name, end->spare_link);
}

/* A program that ends windows is attached before one that begins them. */
int range_windows__attach(struct range_windows *rw)
{
	int err = 0;

	for (size_t i = 0; !err && i < rw->set->nr_ranges; i++) {
		const struct range_end begin = begin_of(rw, i), end = end_of(rw, i);

		err = attach(&end);
		if (!err)
			err = attach(&begin);
	}
	return err;
}

void range_windows__detach(struct range_windows *rw)
{
	for (size_t i = 0; i < rw->set->nr_ranges; i++)
		window_range_bpf__detach(rw->skels[i]);
}

static void log_not_hit(const struct range_end *end)
{
	if (end->by_interrupt)
		log_warn("only interrupts came to the tracepoint %s:%s, and they neither begin nor end a "
			 "window",
			 end->name->category, end->name->event);
	else
		log_warn("nobody came to the tracepoint %s:%s", end->name->category, end->name->event);
}

/* A hit is lost only where the program and its spare were both skipped, which are as many as the fewer. */
static void log_skipped(const struct range_end *end)
{
	uint64_t skipped = skip_watch__count(end->prog), spare = skip_watch__count(end->spare);
	char events[256];

	snprintf(events, sizeof(events), "hits of the tracepoint %s:%s", end->name->category,
		 end->name->event);
	skip_watch__log_losses(end->prog, skipped > spare ? skipped - spare : 0, events);
}

void range_windows__log_losses(const struct range_windows *rw)
{
	for (size_t i = 0; i < rw->set->nr_ranges; i++) {
		const struct range_end begin = begin_of(rw, i), end = end_of(rw, i);

		if (!begin.by_task)
			log_not_hit(&begin);
		else if (!end.by_task)
			log_not_hit(&end);
		log_skipped(&begin);
		log_skipped(&end);
	}
}

void range_windows__free(struct range_windows *rw)
{
	if (!rw)
		return;
	for (size_t i = 0; i < AUXBPF_MAX_RANGES; i++)
		window_range_bpf__destroy(rw->skels[i]);
	free(rw);
}
