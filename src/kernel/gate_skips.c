// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/gate_skips.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "kernel/session_object.h"

int gate_skips__find(const struct auxbpf_bpf *skel)
{
	struct bpf_link *link = bpf_program__attach(skel->progs.find_preemption);
	int err;

	if (!link) {
		log_err("cannot attach the BPF program find_preemption: %s", strerror(errno));
		return -errno;
	}
	syscall(SYS_getppid);
	bpf_link__destroy(link);
	err = session_object__run(skel->progs.find_counting_function, -1);
	if (err)
		log_err("cannot run the BPF program find_counting_function: %s", strerror(-err));
	return err;
}

/* In the breakpoint way a gate cannot be moved from here: the exception of one breakpoint sees no other. */
static int watch_skips(const struct auxbpf_bpf *skel, const struct gate_opts *opts,
		       struct auxbpf_session *session, struct skip_watch **watch)
{
	int err;

	if (opts->control == AUXBPF_CONTROL_BREAKPOINT)
		return -EOPNOTSUPP;
	err = skip_watch__program_id(skel->progs.on_sys_enter, &session->sys_enter_id);
	if (!err)
		err = skip_watch__program_id(skel->progs.on_sys_exit, &session->sys_exit_id);
	return err ? err
		   : skip_watch__new(session->counting_function, skel->progs.on_skip, opts->nr_cpus, watch);
}

/* A spare costs every system call of the machine as much as the program that it stands in for. */
void gate_skips__watch(const struct auxbpf_bpf *skel, const struct gate_opts *opts,
		       struct auxbpf_session *session, struct skip_watch **watch, bool *spares)
{
	*spares = !session->no_preemption && watch_skips(skel, opts, session, watch);
	log_debug("programs of system calls: %s, %s spares",
		  session->no_preemption ? "never preempted" : "preempted", *spares ? "with" : "without");
}
