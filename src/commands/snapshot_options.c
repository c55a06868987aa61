// SPDX-License-Identifier: GPL-2.0-only
#include "commands/snapshot_options.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "commands/limit_options.h"
#include "trace/tracefs.h"

#define DEFAULT_LOOKBACK 1000000000ull
#define DEFAULT_SPARES 2
#define MAX_SPARES 64

static const char *const scopes[] = {
	[AUXBPF_SCOPE_CPU] = "cpu",
	[AUXBPF_SCOPE_TASK] = "task",
	[AUXBPF_SCOPE_ALL] = "all",
};

static struct trigger_opts machine(const struct snapshot_options *o)
{
	return (struct trigger_opts){.names = o->names, .tracepoints = tracefs__source("")};
}

void snapshot_options__init(struct snapshot_options *o, const struct condition_names *names)
{
	*o = (struct snapshot_options){
		.names = names,
		.recorder =
			{
				.triggers = {.scope = AUXBPF_SCOPE_TASK, .lookback = DEFAULT_LOOKBACK},
				.spares = DEFAULT_SPARES,
				.limits = limit_options__default,
			},
	};
}

int snapshot_options__add_rule(struct snapshot_options *o, const char *rule)
{
	const struct trigger_opts opts = machine(o);
	char message[RULE_MESSAGE_SIZE];

	/* The BPF programs need no rule for SIGUSR2 or the end, which user space handles. */
	if (!strcmp(rule, "SIGUSR2")) {
		o->on_request = true;
		return 0;
	}
	if (!strcmp(rule, "end")) {
		o->recorder.at_end = true;
		return 0;
	}
	if (!trigger_set__add(&o->triggers, rule, &opts, message, sizeof(message)))
		return 0;
	log__err_lines("--snapshot-on", message);
	return -EINVAL;
}

int snapshot_options__add_rules(struct snapshot_options *o, const char *file)
{
	_cleanup_close_ int fd = path__open("", "%s", file);
	const struct trigger_opts opts = machine(o);
	char message[2 * RULE_MESSAGE_SIZE]; /* it has the name of the file too */
	_cleanup_buf_ struct buf text = {0};
	int err = fd < 0 ? fd : path__read_all(fd, &text);

	if (err) {
		log_err("--rules: cannot read %s: %s", file, strerror(-err));
		return -EINVAL;
	}
	if (text.len && memchr(text.data, '\0', text.len)) {
		log_err("--rules: %s is no text: it has a NUL in it", file);
		return -EINVAL;
	}
	buf__add(&text, "", 1);
	if (buf__error(&text))
		return buf__error(&text);
	if (!trigger_set__add_file(&o->triggers, (const char *)text.data, file, &opts, message,
				   sizeof(message)))
		return 0;
	log__err_lines("--rules", message);
	return -EINVAL;
}

int snapshot_options__set_scope(struct snapshot_options *o, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (strcmp(name, scopes[i]))
			continue;
		o->recorder.triggers.scope = (enum auxbpf_scope)i;
		return 0;
	}
	log_err("--scope: '%s' is none of cpu, task, all", name);
	return -EINVAL;
}

int snapshot_options__set_lookback(struct snapshot_options *o, const char *text)
{
	if (!strcmp(text, "all")) {
		o->recorder.triggers.lookback = 0;
		return 0;
	}
	if (!parse__time(text, &o->recorder.triggers.lookback) && o->recorder.triggers.lookback)
		return 0;
	log_err("--lookback: '%s' is not a time; write 500us, 10ms, 2s, or all", text);
	return -EINVAL;
}

int snapshot_options__set_after(struct snapshot_options *o, const char *text)
{
	if (!parse__time(text, &o->recorder.triggers.after))
		return 0;
	log_err("--after: '%s' is not a time; write 50us, 10ms, 2s", text);
	return -EINVAL;
}

int snapshot_options__set_spares(struct snapshot_options *o, const char *text)
{
	uint64_t nr;

	if (parse__u64(text, &nr) || !nr || nr > MAX_SPARES) {
		log_err("--spare: '%s' is not a number from 1 to %d", text, MAX_SPARES);
		return -EINVAL;
	}
	o->recorder.spares = (unsigned int)nr;
	return 0;
}

int snapshot_options__set_exec(struct snapshot_options *o, const char *command)
{
	o->recorder.exec = command;
	if (*command)
		return 0;
	log_err("--exec: the command is empty");
	return -EINVAL;
}

static void warn_of_early(const struct trigger *t, const struct window_set *windows)
{
	if (trigger__precedes_window(t, windows))
		log_warn("%s: fires when the call begins, before its window: snapshots have the windows "
			 "before, and not this call; a rule with ret or latency fires at its end",
			 t->text);
}

int snapshot_options__check(struct snapshot_options *o, const struct window_set *windows, bool stream,
			    const char *given)
{
	o->recorder.triggers.rules = &o->triggers;
	for (size_t i = 0; i < o->triggers.nr; i++)
		warn_of_early(&o->triggers.all[i], windows);
	if (stream && snapshot_options__wanted(o)) {
		log_err("--stream keeps all of the trace: there are no snapshots of it");
		return -EINVAL;
	}
	if (snapshot_options__wanted(o) || !given)
		return 0;
	log_err("%s is about snapshots: say when to take them, with --snapshot-on", given);
	return -EINVAL;
}

void snapshot_options__take_on_request(struct snapshot_options *o)
{
	o->on_request = true;
}

bool snapshot_options__wanted(const struct snapshot_options *o)
{
	return o->triggers.nr || o->on_request || o->recorder.at_end;
}

void snapshot_options__release(struct snapshot_options *o)
{
	trigger_set__release(&o->triggers);
}
