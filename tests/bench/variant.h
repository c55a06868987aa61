/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The variants that are compared: who listens while the work runs.
 */
#ifndef BENCH_VARIANT_H
#define BENCH_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "cgroups.h"
#include "work.h"

enum variant_kind {
	VARIANT_NOTHING,
	VARIANT_EMPTY, /* BPF programs that do nothing */
	VARIANT_GATE,  /* the gate's BPF programs, without trace: no CPU has an AUX event */
	VARIANT_TOOL,  /* another process */
};

/* Marks the variants that the table compares others with. */
enum yardstick {
	YARDSTICK_NONE,
	YARDSTICK_EMPTY,
	YARDSTICK_BPFTRACE,
};

struct variant {
	const char *name;
	enum variant_kind kind;
	enum yardstick yardstick;
	unsigned int works; /* WORK_BIT() of each work that it is measured with */

	/* VARIANT_EMPTY */
	bool sys_enter, sys_exit, sched_switch;

	/* VARIANT_GATE */
	uint32_t targets; /* AUXBPF_BY_* */
	const char *syscalls;
	bool on_cpu;
	size_t nr_cgroups;
	bool move; /* user space moves the gate, for an event that does nothing */

	/*
	 * VARIANT_TOOL: the words of its command. In each, "@cpu", "@pid" (of the target) and "@self" are
	 * filled in; the last is the path of this program, which with --ready says "ready" and waits.
	 */
	const char *const *command;
	const char *marker; /* its output has this once it listens */
};

/* What all variants use. */
struct bench {
	struct workers *workers;
	struct bench_cgroups *cgroups; /* NULL: there are none */
	const char *self;	       /* path of this program */
};

/*
 * Returns the variants for this machine or, if instructions are counted, for the lab. The first is
 * VARIANT_NOTHING.
 */
const struct variant *variants__list(size_t *nr) _nonnull_(1);

struct listener;

/* Starts listening. Logs; 0, -EOPNOTSUPP if that does not work on this machine, or another negative errno. */
int listener__new(const struct variant *variant, const struct bench *bench,
		  struct listener **ret) _must_check_ _nonnull_(1, 2, 3);
void listener__free(struct listener *listener);

DEFINE_CLEANUP(listener, struct listener *, listener__free)

/* The same for one kind of variant, in listener_gate.c and listener_tool.c. */
struct gate_listener;
int gate_listener__new(const struct variant *variant, const struct bench *bench,
		       struct gate_listener **ret) _must_check_ _nonnull_(1, 2, 3);
void gate_listener__free(struct gate_listener *listener);

DEFINE_CLEANUP(gate_listener, struct gate_listener *, gate_listener__free)

struct tool_listener;
int tool_listener__new(const struct variant *variant, const struct bench *bench,
		       struct tool_listener **ret) _must_check_ _nonnull_(1, 2, 3);
void tool_listener__free(struct tool_listener *listener);

DEFINE_CLEANUP(tool_listener, struct tool_listener *, tool_listener__free)

#endif
