// SPDX-License-Identifier: GPL-2.0-only
#include "gate/trigger_functions.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "loader/session_object.h"
#include "trigger_function.skel.h"
#include "trigger_user.skel.h"

struct trigger_functions {
	struct function_probes_opts opts;
	struct function_probes *probes;
	const char *names[AUXBPF_MAX_TRIGGERS]; /* by the function's number */
	uint64_t rules[AUXBPF_MAX_TRIGGERS];
	struct trigger_function_bpf *skels[AUXBPF_MAX_TRIGGERS]; /* of kernel functions */
	struct trigger_user_bpf *user;				 /* of all user functions */
	size_t nr;
	const struct trigger_base *base; /* of the running call of trigger_functions__load() */
};

static void add_rule(struct trigger_functions *tf, const char *where, uint64_t rule)
{
	size_t i = 0;

	while (i < tf->nr && strcmp(tf->names[i], where) != 0)
		i++;
	tf->names[i] = where;
	tf->rules[i] |= rule;
	tf->nr += i == tf->nr;
}

int trigger_functions__new(const struct trigger_set *rules, const struct function_probes_opts *opts,
			   const int *pids, size_t nr_pids, struct trigger_functions **ret)
{
	_cleanup_(cleanup__trigger_functions) struct trigger_functions *tf = calloc(1, sizeof(*tf));
	int err;

	if (!tf)
		return -ENOMEM;
	for (size_t i = 0; i < rules->nr; i++)
		if (rules->all[i].kind == AUXBPF_TRIGGER_FUNCTION)
			add_rule(tf, rules->all[i].where, 1ull << i);
	tf->opts = *opts;
	tf->opts.functions = tf->names;
	tf->opts.nr_functions = tf->nr;
	err = function_probes__new(&tf->opts, pids, nr_pids, &tf->probes);
	if (!err)
		*ret = steal_ptr(tf);
	return err;
}

struct function_probes *trigger_functions__probes(const struct trigger_functions *tf)
{
	return tf->probes;
}

void trigger_functions__tell(const struct trigger_functions *tf, struct auxbpf_triggers *to)
{
	memcpy(to->by_function, tf->rules, sizeof(to->by_function));
}

static int load_kernel(void *ctx, size_t function, const char *symbol, struct bpf_object **ret)
{
	struct trigger_functions *tf = ctx;
	struct trigger_function_bpf *skel =
		SESSION_OBJECT_OPEN(trigger_function_bpf, tf->base->config->control);
	int err;

	if (!skel)
		return -errno;
	tf->skels[function] = skel;
	*ret = skel->obj;
	*(uint32_t *)(uintptr_t)&skel->rodata->function = (uint32_t)function;
	err = trigger_object__join(skel->obj, tf->base, (const void *)&skel->rodata->config,
				   (const void *)&skel->rodata->triggers);
	if (!err)
		err = function_probes__set_target(skel->obj, symbol);
	return err ? err : trigger_function_bpf__load(skel);
}

static uint64_t cookie(size_t function, uint64_t file)
{
	return AUXBPF_COOKIE(function, file);
}

static int load_user(struct trigger_functions *tf, const struct trigger_base *base)
{
	struct trigger_user_bpf *skel;
	int err;

	if (!function_probes__in_user(tf->probes))
		return 0;
	if (base->told->after) {
		log_err("--after: BPF programs at functions of programs can have no timer; rules on system "
			"calls and on functions of the kernel can wait");
		return -EOPNOTSUPP;
	}
	skel = tf->user = SESSION_OBJECT_OPEN(trigger_user_bpf, base->config->control);
	if (!skel)
		return -errno;
	err = trigger_object__join(skel->obj, base, (const void *)&skel->rodata->config,
				   (const void *)&skel->rodata->triggers);
	if (!err)
		err = trigger_user_bpf__load(skel);
	if (err)
		log_err("cannot load the BPF programs for functions of programs: %s; run with -v to see what "
			"the kernel says",
			strerror(-err));
	return err;
}

int trigger_functions__load(struct trigger_functions *tf, const struct trigger_base *base)
{
	struct function_programs programs = {.load = load_kernel, .cookie = cookie, .ctx = tf};
	int err = load_user(tf, base);

	if (err)
		return err;
	if (tf->user) {
		programs.entry = tf->user->progs.on_function_entry;
		programs.leave = tf->user->progs.on_function_return;
	}
	tf->base = base;
	return function_probes__load(tf->probes, &programs);
}

void trigger_functions__log_uncalled(const struct trigger_functions *tf)
{
	for (size_t i = 0; i < tf->nr; i++)
		if (tf->skels[i] && !tf->skels[i]->data->called)
			function_probes__log_uncalled(tf->probes, i);
}

void trigger_functions__free(struct trigger_functions *tf)
{
	if (!tf)
		return;
	function_probes__free(tf->probes);
	for (size_t i = 0; i < tf->nr; i++)
		trigger_function_bpf__destroy(tf->skels[i]);
	trigger_user_bpf__destroy(tf->user);
	free(tf);
}
