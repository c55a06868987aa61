// SPDX-License-Identifier: GPL-2.0-only
#include "gate/function_windows.h"

#include <errno.h>

#include "auxbpf_window.h"
#include "loader/session_object.h"
#include "window_function.skel.h"

struct function_windows {
	struct function_probes *probes;
	struct window_function_bpf **skels; /* of kernel functions, by number */
	size_t nr;
	/* These are of the running call of function_windows__load(). */
	const struct auxbpf_config *config;
	struct bpf_object *main;
};

int function_windows__new(const struct function_probes_opts *opts, const int *pids, size_t nr_pids,
			  struct function_windows **ret)
{
	_cleanup_(cleanup__function_windows) struct function_windows *fw = calloc(1, sizeof(*fw));
	int err;

	if (!fw)
		return -ENOMEM;
	fw->nr = opts->nr_functions;
	fw->skels = calloc(fw->nr, sizeof(*fw->skels));
	if (!fw->skels && fw->nr)
		return -ENOMEM;
	err = function_probes__new(opts, pids, nr_pids, &fw->probes);
	if (!err)
		*ret = steal_ptr(fw);
	return err;
}

struct function_probes *function_windows__probes(const struct function_windows *fw)
{
	return fw->probes;
}

static int load_kernel(void *ctx, size_t function, const char *symbol, struct bpf_object **ret)
{
	struct function_windows *fw = ctx;
	struct window_function_bpf *skel = SESSION_OBJECT_OPEN(window_function_bpf, fw->config->control);
	int err;

	if (!skel)
		return -errno;
	fw->skels[function] = skel;
	*ret = skel->obj;
	*(uint32_t *)(uintptr_t)&skel->rodata->function = (uint32_t)function;
	err = session_object__join(skel->obj, fw->main, (const void *)&skel->rodata->config, fw->config);
	if (!err)
		err = function_probes__set_target(skel->obj, symbol);
	return err ? err : window_function_bpf__load(skel);
}

static uint64_t cookie(size_t function, uint64_t file)
{
	return AUXBPF_WINDOW_COOKIE(function, file);
}

int function_windows__load(struct function_windows *fw, const struct auxbpf_config *config,
			   struct bpf_object *main, struct bpf_program *entry, struct bpf_program *leave)
{
	const struct function_programs programs = {
		.load = load_kernel,
		.cookie = cookie,
		.entry = entry,
		.leave = leave,
		.ctx = fw,
	};

	fw->config = config;
	fw->main = main;
	return function_probes__load(fw->probes, &programs);
}

void function_windows__log_uncalled(const struct function_windows *fw)
{
	for (size_t i = 0; i < fw->nr; i++)
		if (fw->skels[i] && !fw->skels[i]->data->called)
			function_probes__log_uncalled(fw->probes, i);
}

void function_windows__free(struct function_windows *fw)
{
	if (!fw)
		return;
	function_probes__free(fw->probes);
	for (size_t i = 0; fw->skels && i < fw->nr; i++)
		window_function_bpf__destroy(fw->skels[i]);
	free(fw->skels);
	free(fw);
}
