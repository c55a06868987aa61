// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kept_windows.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "files/stage.h"
#include "gate/gate_kept.h"

struct kept_windows {
	const struct gate *gate;
	const struct cpu_traces *traces;
	const struct window_set *asked;
	struct clock_pair began, now;
	struct buf all; /* struct auxbpf_window */
	uint64_t *told; /* for each CPU, how many had ended there when a capture was made last */
	int nr_cpus;
	uint64_t left_out; /* by the last reading */
};

int kept_windows__new(const struct gate *gate, const struct cpu_traces *traces,
		      const struct window_set *asked, struct kept_windows **ret)
{
	_cleanup_(cleanup__kept_windows) struct kept_windows *k = NULL;

	*ret = NULL;
	if (!gate_kept__has_windows(gate__kept(gate)))
		return 0;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->gate = gate;
	k->traces = traces;
	k->asked = asked;
	k->nr_cpus = gate_kept__nr_cpus(gate__kept(gate));
	k->told = calloc((size_t)k->nr_cpus, sizeof(*k->told));
	if (!k->told)
		return -ENOMEM;
	cpu_trace__clocks(&traces->cpus[0], &k->began);
	*ret = steal_ptr(k);
	return 0;
}

void kept_windows__free(struct kept_windows *k)
{
	if (!k)
		return;
	buf__release(&k->all);
	free(k->told);
	free(k);
}

static struct auxbpf_window *windows_from(struct kept_windows *k, size_t at)
{
	return (struct auxbpf_window *)(void *)(k->all.data + at);
}

static size_t nr_from(const struct kept_windows *k, size_t at)
{
	return (k->all.len - at) / sizeof(struct auxbpf_window);
}

static void convert(const struct kept_windows *k, struct auxbpf_window *w)
{
	w->begin = clock_pair__between(&k->began, &k->now, w->begin);
	if (w->cut != AUXBPF_CUT_OPEN)
		w->end = clock_pair__between(&k->began, &k->now, w->end);
}

/* Converts the windows that were read from @at on, and drops those that are not of the range. */
static void finish(struct kept_windows *k, size_t at, const struct window_span *range, uint64_t told)
{
	struct auxbpf_window *w = windows_from(k, at);
	const size_t nr = nr_from(k, at);

	for (size_t i = 0; i < nr; i++)
		convert(k, &w[i]);
	buf__truncate(&k->all, at + window_list__keep(w, nr, range, told) * sizeof(*w));
}

/* Reads those of one CPU; returns how many were overwritten. */
static uint64_t read_cpu(struct kept_windows *k, int cpu, const struct window_span *range)
{
	const size_t at = k->all.len;
	const uint64_t ended = gate_kept__read_windows(gate__kept(k->gate), cpu, &k->all),
		       told = k->told[cpu];
	const size_t nr = nr_from(k, at);
	struct auxbpf_window oldest = {0};

	k->told[cpu] = ended;
	if (nr) {
		oldest = *windows_from(k, at);
		convert(k, &oldest);
		finish(k, at, range, told);
	}
	return window_list__missing(range, told, ended, nr, &oldest);
}

static int read_open(struct kept_windows *k, const struct window_span *range)
{
	int err = gate_kept__read_open(gate__kept(k->gate), &k->all);

	if (!err && k->all.len)
		finish(k, 0, range, 0);
	return err;
}

static void sort(struct kept_windows *k)
{
	const size_t nr = nr_from(k, 0);

	if (nr)
		buf__truncate(&k->all,
			      window_list__sort(windows_from(k, 0), nr) * sizeof(struct auxbpf_window));
}

void kept_windows__read(struct kept_windows *k, const struct window_span *range, struct capture_windows *ret)
{
	int err;

	*ret = (struct capture_windows){0};
	if (!k)
		return;
	buf__truncate(&k->all, 0);
	cpu_trace__clocks(&k->traces->cpus[0], &k->now);
	/* Those that are open come first: one that ends meanwhile is then among those that have ended, too. */
	err = read_open(k, range);
	for (int cpu = 0; !err && cpu < k->nr_cpus; cpu++) {
		ret->left_out += read_cpu(k, cpu, range);
		err = buf__error(&k->all);
	}
	if (err) {
		log_warn("the windows that the BPF programs keep cannot be read, and %s is missing: %s",
			 STAGE_WINDOWS, strerror(-err));
		buf__release(&k->all);
		return;
	}
	sort(k);
	k->left_out = ret->left_out;
	ret->asked = k->asked;
	ret->nr = nr_from(k, 0);
	ret->all = windows_from(k, 0);
}

void kept_windows__log(const struct kept_windows *k)
{
	if (k && k->left_out)
		log_info("older windows left out of %s: %llu, as the newest of each CPU are kept",
			 STAGE_WINDOWS, (unsigned long long)k->left_out);
}
