// SPDX-License-Identifier: GPL-2.0-only
#include "gate/tracepoint_program.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

int tracepoint_program__set_target(struct bpf_program *prog, const char *event)
{
	return bpf_program__set_attach_target(prog, 0, event);
}

void tracepoint_program__log_load_error(const struct tracepoint_name *name, int err)
{
	log_err("cannot load the BPF programs for the tracepoint %s:%s: %s%s", name->category, name->event,
		strerror(-err),
		err == -ESRCH || err == -ENOENT ? "; it is not one of the kernel's own (a kprobe or another "
						  "event that somebody has made)"
						: "; run with -v to see what the kernel says");
}

void tracepoint_program__log_attach_error(const struct tracepoint_name *name, int err)
{
	log_err("cannot attach to the tracepoint %s:%s: %s", name->category, name->event, strerror(-err));
}

int tracepoint_program__attach(struct bpf_program *prog, const struct tracepoint_name *name,
			       struct bpf_link **link)
{
	int err;

	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	err = -errno;
	tracepoint_program__log_attach_error(name, err);
	return err;
}
