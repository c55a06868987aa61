// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "empty.skel.h"
#include "variant.h"

struct listener {
	struct empty_bpf *empty;
	struct gate_listener *gate;
	struct tool_listener *tool;
};

static int listen_empty(struct listener *l, const struct variant *v)
{
	struct empty_bpf *skel = empty_bpf__open();
	int err;

	if (!skel)
		return -errno;
	l->empty = skel;
	bpf_program__set_autoload(skel->progs.empty_sys_enter, v->sys_enter);
	bpf_program__set_autoload(skel->progs.empty_sys_exit, v->sys_exit);
	bpf_program__set_autoload(skel->progs.empty_sched_switch, v->sched_switch);
	err = empty_bpf__load(skel);
	if (!err)
		err = empty_bpf__attach(skel);
	if (err)
		log_err("cannot attach programs that do nothing: %s", strerror(-err));
	return err;
}

int listener__new(const struct variant *v, const struct bench *bench, struct listener **ret)
{
	_cleanup_(cleanup__listener) struct listener *l = calloc(1, sizeof(*l));
	int err = 0;

	if (!l)
		return -ENOMEM;
	if (v->kind == VARIANT_EMPTY)
		err = listen_empty(l, v);
	else if (v->kind == VARIANT_GATE)
		err = gate_listener__new(v, bench, &l->gate);
	else if (v->kind == VARIANT_TOOL)
		err = tool_listener__new(v, bench, &l->tool);
	if (err)
		return err;
	*ret = steal_ptr(l);
	return 0;
}

void listener__free(struct listener *l)
{
	empty_bpf__destroy(l->empty);
	cleanup__gate_listener(&l->gate);
	cleanup__tool_listener(&l->tool);
	free(l);
}
