// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_watch: prints how often the BPF programs see each of some rules fire for a command, without an AUX
 * event: nothing is frozen and no snapshot is taken, so this runs on any machine.
 *
 *   trigger_watch [-v] RULE... -- COMMAND [ARG...]
 *   trigger_watch --each FILE COMM RULE -- COMMAND [ARG...]
 *
 * When the command has ended it prints a line for each rule, "NUMBER RULE", and exits with the command's
 * status.
 *
 * With --each there is one rule, about switches, system calls, exits or interrupts. It is limited to tasks
 * called COMM and made into one rule for each CPU, and the file gets a line for each such event of such a task
 * (fires.h).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "fires.h"

#include "gate/control.h"
#include "gate/gate.h"
#include "loader/libbpf_log.h"
#include "session/workload.h"
#include "trace/tracefs.h"

static int add_rule(const char *rule, struct trigger_set *rules)
{
	const struct trigger_opts machine = {.tracepoints = tracefs__source("")};
	char message[RULE_MESSAGE_SIZE] = "";
	int err = trigger_set__add(rules, rule, &machine, message, sizeof(message));

	if (err)
		fprintf(stderr, "%s\n", message);
	return err;
}

static int add_rules(char **words, struct trigger_set *rules)
{
	int err = 0;

	for (; !err && strcmp(*words, "--") != 0; words++)
		err = add_rule(*words, rules);
	return err;
}

static int add_rules_of_cpus(const char *comm, const char *rule, struct trigger_set *rules)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	char text[256];
	int err = 0;

	for (long cpu = 0; !err && cpu < nr_cpus; cpu++) {
		snprintf(text, sizeof(text), "%s && comm == %s && cpu == %ld", rule, comm, cpu);
		err = add_rule(text, rules);
	}
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

/* The file of --each, and the name of the tasks. */
struct each {
	FILE *file;
	const char *comm;
};

/*
 * Watches the rules while the command runs. The gate has no event to move, so nothing is told and all that is
 * seen is counted.
 */
static int watch(struct gate *gate, struct workload *command, const struct trigger_set *rules,
		 const struct each *each, int *status)
{
	_cleanup_(cleanup__fires) struct fires *fires = NULL;
	int err = gate__attach(gate);

	if (!err && each->file)
		err = fires__new(each->comm, rules->all[0].kind, &fires);
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
	gate__log_losses(gate);
	if (err >= 0 && fires)
		err = fires__print(fires, each->file);
	return err < 0 ? err : 0;
}

static int run(char **words, char *const *command, FILE *file, int *status)
{
	_cleanup_(trigger_set__release) struct trigger_set rules = {0};
	_cleanup_(cleanup__workload) struct workload *workload = NULL;
	_cleanup_(cleanup__gate) struct gate *gate = NULL;
	struct target_set targets = {.by_task = true, .nr_pids = 1};
	const struct window_set windows = {.on_cpu = true};
	const struct each each = {.file = file, .comm = words[0]};
	const struct gate_triggers_opts triggers = {.rules = &rules, .scope = AUXBPF_SCOPE_CPU};
	struct gate_opts opts = {
		.root = "",
		.control = AUXBPF_CONTROL_TRACEPOINT,
		.targets = &targets,
		.windows = &windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
		.triggers = &triggers,
	};
	int err = file ? add_rules_of_cpus(words[0], words[1], &rules) : add_rules(words, &rules);

	if (!err)
		err = workload__new(command, NULL, &workload);
	if (err)
		return err;
	targets.pids[0] = opts.command = workload__pid(workload);
	err = gate__new(&opts, NULL, 0, &gate);
	return err ? err : watch(gate, workload, &rules, &each, status);
}

static int usage(const char *program)
{
	fprintf(stderr,
		"Usage: %s [-v] RULE... -- COMMAND [ARG...]\n       %s --each FILE COMM RULE -- "
		"COMMAND [ARG...]\n",
		program, program);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option long_opts[] = {{"each", required_argument, NULL, 'e'}, {0}};
	int nr = 0, status = EXIT_FAILURE, opt, err;
	FILE *each = NULL;
	char **words;

	libbpf_log__init();
	while ((opt = getopt_long(argc, argv, "+v", long_opts, NULL)) != -1) {
		if (opt == 'v') {
			log__set_level(LOG_DEBUG);
			continue;
		}
		each = opt == 'e' ? fopen(optarg, "we") : NULL;
		if (!each)
			return usage(argv[0]);
	}
	for (words = argv + optind; words[nr] && strcmp(words[nr], "--") != 0;)
		nr++;
	if (!nr || (each && nr != 2) || !words[nr] || !words[nr + 1])
		return usage(argv[0]);
	err = run(words, words + nr + 1, each, &status);
	if (err)
		fprintf(stderr, "trigger_watch: %s\n", strerror(-err));
	if (each && fclose(each))
		return EXIT_FAILURE;
	return err ? EXIT_FAILURE : status;
}
