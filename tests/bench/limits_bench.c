// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits_bench: measures what a rule costs the traced program if it fires at each call but the limits keep it
 * quiet, beside a rule whose condition never holds. This is the state between two snapshots: the BPF programs
 * are loaded as a session loads them, but there is no AUX event, so it runs on any machine. The two rules
 * take turns, and the least of each counts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "gate/gate.h"
#include "work.h"

#define ROUNDS 5
#define RATE 100000 /* calls a second */

static const char *const rules[] = {"syscall:uname ret != 0", "syscall:uname"};

struct session {
	struct target_set targets;
	struct window_set windows;
	struct trigger_set rules;
	struct gate_triggers_opts triggers;
	struct gate_opts opts;
	struct gate *gate;
};

static void session__release(struct session *s)
{
	if (s->gate) {
		gate__disarm(s->gate);
		gate__detach(s->gate);
	}
	gate__free(s->gate);
	trigger_set__release(&s->rules);
}

static int session__start(struct session *s, const char *rule, pid_t pid)
{
	char message[RULE_MESSAGE_SIZE] = "";
	int err;

	s->targets = (struct target_set){.by_task = true, .pids = {pid}, .nr_pids = 1};
	s->windows = (struct window_set){.on_cpu = true};
	s->triggers = (struct gate_triggers_opts){.rules = &s->rules, .scope = AUXBPF_SCOPE_TASK};
	s->opts = (struct gate_opts){
		.root = "",
		.control = AUXBPF_CONTROL_TRACEPOINT,
		.targets = &s->targets,
		.windows = &s->windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
		.triggers = &s->triggers,
	};
	err = trigger_set__add(&s->rules, rule, &(struct trigger_opts){0}, message, sizeof(message));
	if (err)
		log_err("%s", message);
	if (!err)
		err = gate__new(&s->opts, NULL, 0, &s->gate);
	if (!err)
		err = gate__attach(s->gate);
	if (!err)
		err = gate__arm(s->gate);
	if (err)
		return err;
	/* The state that the recorder leaves behind after a snapshot. */
	gate_triggers__state(gate__triggers(s->gate), 0)->quiet_until = UINT64_MAX;
	gate__accept(s->gate, true);
	return 0;
}

/* Returns the cost of a call in ns, or a negative number; @fired gets how often the rule fired. */
static double measure(struct workers *workers, const char *rule, uint64_t *fired)
{
	_cleanup_(session__release) struct session s = {0};
	double cost = -1;

	if (!session__start(&s, rule, workers__pid(workers, WORKER_TARGET)))
		cost = workers__measure(workers, WORK_TARGET);
	if (cost >= 0)
		*fired = gate_triggers__state(gate__triggers(s.gate), 0)->quiet;
	return cost;
}

static int run(struct workers *workers)
{
	double least[ARRAY_SIZE(rules)] = {-1, -1}, added;

	for (size_t n = 0; n < ROUNDS * ARRAY_SIZE(rules); n++) {
		size_t i = n % ARRAY_SIZE(rules);
		uint64_t fired = 0;
		double cost = measure(workers, rules[i], &fired);

		if (cost < 0 || !fired != !i) {
			log_err("%s: fired %llu times, %f ns", rules[i], (unsigned long long)fired, cost);
			return -EIO;
		}
		if (least[i] < 0 || cost < least[i])
			least[i] = cost;
	}
	added = least[1] - least[0];
	printf("limits idle %.1f\nlimits fires %.1f\n", least[0], least[1]);
	printf("limits percent %.2f\n", added * RATE / 1e9 * 100);
	return 0;
}

int main(void)
{
	_cleanup_(cleanup__workers) struct workers *workers = NULL;
	int err = workers__new(&workers);

	if (!err)
		err = run(workers);
	return err ? 1 : 0;
}
