// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_windows.h"

#include <errno.h>

#include "auxbpf.skel.h"
#include "gate/function_windows.h"
#include "gate/range_windows.h"

struct gate_windows {
	const struct gate_opts *opts;
	struct function_probes_opts function_opts;
	struct function_windows *functions;
	struct range_windows *ranges; /* NULL before they are loaded */
};

int gate_windows__new(const struct gate_opts *opts, const int *pids, size_t nr_pids,
		      struct gate_windows **ret)
{
	_cleanup_(cleanup__gate_windows) struct gate_windows *windows = calloc(1, sizeof(*windows));
	int err;

	if (!windows)
		return -ENOMEM;
	windows->opts = opts;
	windows->function_opts = (struct function_probes_opts){
		.option = "--on-function",
		.root = opts->root,
		.functions = opts->windows->functions,
		.nr_functions = opts->windows->nr_functions,
		.wait = opts->wait,
	};
	err = function_windows__new(&windows->function_opts, pids, nr_pids, &windows->functions);
	if (!err)
		*ret = steal_ptr(windows);
	return err;
}

static struct function_probes *probes(const struct gate_windows *windows)
{
	return function_windows__probes(windows->functions);
}

bool gate_windows__in_user(const struct gate_windows *windows)
{
	return function_probes__in_user(probes(windows));
}

int gate_windows__load(struct gate_windows *windows, struct auxbpf_bpf *skel)
{
	const struct auxbpf_config *config = (const struct auxbpf_config *)&skel->rodata->config;
	int err = function_windows__load(windows->functions, config, skel->obj, skel->progs.on_function_entry,
					 skel->progs.on_function_return);

	return err ? err
		   : range_windows__new(windows->opts->windows, windows->opts->root, config, skel->obj,
					&windows->ranges);
}

int gate_windows__add_processes(struct gate_windows *windows, const int *pids, size_t nr)
{
	return function_probes__add_processes(probes(windows), pids, nr);
}

int gate_windows__attach(struct gate_windows *windows)
{
	int err = function_probes__attach(probes(windows));

	return err ? err : range_windows__attach(windows->ranges);
}

void gate_windows__detach(struct gate_windows *windows)
{
	function_probes__detach(probes(windows));
	range_windows__detach(windows->ranges);
}

void gate_windows__log_losses(const struct gate_windows *windows)
{
	function_windows__log_uncalled(windows->functions);
	range_windows__log_losses(windows->ranges);
}

void gate_windows__free(struct gate_windows *windows)
{
	if (!windows)
		return;
	function_windows__free(windows->functions);
	range_windows__free(windows->ranges);
	free(windows);
}
