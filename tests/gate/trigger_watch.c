// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_watch: how often the programs of the kernel see each of some rules come true for a command, without
 * an AUX event: nothing is frozen and no snapshot taken, so this runs on any machine.
 *
 *   trigger_watch RULE... -- COMMAND [ARG...]
 *
 * A line for each rule, "NUMBER RULE", when the command has ended, whose status is this one's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/control.h"
#include "kernel/gate.h"
#include "kernel/libbpf_log.h"
#include "kernel/tracefs.h"
#include "session/workload.h"

static int read_format(void *arg, const char *category, const char *event, struct buf *text)
{
	return tracefs__read_format("", category, event, text);
}

static int add_rules(int argc, char **argv, struct trigger_set *rules)
{
	const struct trigger_opts machine = {.format = read_format};
	char message[RULE_MESSAGE_SIZE] = "";
	int err = 0;

	for (int i = 1; !err && i < argc; i++)
		err = trigger_set__add(rules, argv[i], &machine, message, sizeof(message));
	if (err)
		fprintf(stderr, "%s\n", message);
	return err;
}

static void print_counts(const struct gate *gate, const struct trigger_set *rules)
{
	for (size_t i = 0; i < rules->nr; i++) {
		const struct auxbpf_trigger_state *state =
			gate_triggers__state(gate__triggers(gate), (uint32_t)i);

		printf("%llu %s\n", (unsigned long long)__atomic_load_n(&state->seen, __ATOMIC_RELAXED),
		       rules->all[i].text);
	}
}

/* The gate has no event that it could move: nothing is told, all that is seen is counted. */
static int watch(struct gate *gate, struct workload *command, const struct trigger_set *rules, int *status)
{
	int err = gate__attach(gate);

	if (!err)
		err = gate__arm(gate);
	gate__accept(gate, true);
	gate__accept(gate, false);
	if (!err)
		err = workload__start(command);
	if (!err)
		err = workload__status(command, 1, status);
	if (err >= 0)
		print_counts(gate, rules);
	return err < 0 ? err : 0;
}

static int run(int argc, char **argv, char *const *command, int *status)
{
	_cleanup_(trigger_set__release) struct trigger_set rules = {0};
	_cleanup_(cleanup__workload) struct workload *workload = NULL;
	_cleanup_(cleanup__gate) struct gate *gate = NULL;
	struct target_set targets = {.by_task = true, .nr_pids = 1};
	const struct window_set windows = {.on_cpu = true};
	const struct gate_triggers_opts triggers = {.rules = &rules, .scope = AUXBPF_SCOPE_CPU};
	struct gate_opts opts = {
		.root = "",
		.control = AUXBPF_CONTROL_TRACEPOINT,
		.targets = &targets,
		.windows = &windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
		.triggers = &triggers,
	};
	int err = add_rules(argc, argv, &rules);

	if (!err)
		err = workload__new(command, &workload);
	if (err)
		return err;
	targets.pids[0] = opts.command = workload__pid(workload);
	err = gate__new(&opts, NULL, 0, &gate);
	return err ? err : watch(gate, workload, &rules, status);
}

int main(int argc, char **argv)
{
	int nr = 1, status = EXIT_FAILURE, err;

	libbpf_log__init();
	while (nr < argc && strcmp(argv[nr], "--") != 0)
		nr++;
	if (nr == 1 || nr + 1 >= argc) {
		fprintf(stderr, "Usage: %s RULE... -- COMMAND [ARG...]\n", argv[0]);
		return 2;
	}
	err = run(nr, argv, argv + nr + 1, &status);
	if (err)
		fprintf(stderr, "trigger_watch: %s\n", strerror(-err));
	return err ? EXIT_FAILURE : status;
}
