// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/gate_skips.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "kernel/gate_object.h"
#include "kernel/session_object.h"
#include "skips.skel.h"

static int ask(uint64_t *counter)
{
	struct skips_bpf *skel = skips_bpf__open_and_load();
	int err;

	if (!skel) {
		err = -errno;
		session_object__log_load_error(err);
		return err;
	}
	err = session_object__run(skel->progs.find_counting_function, -1);
	if (err)
		log_err("cannot run the BPF program find_counting_function: %s", strerror(-err));
	*counter = skel->bss->counting_function;
	skips_bpf__destroy(skel);
	return err;
}

/* In the breakpoint way a gate cannot be moved from there: the exception of one breakpoint sees no other. */
int gate_skips__find(const struct gate_opts *opts, uint64_t *counter, struct skip_watch **watch)
{
	bool syscalls = opts->windows->has_syscalls;
	int err = syscalls || opts->triggers ? ask(counter) : 0;

	if (err || !syscalls || opts->control == AUXBPF_CONTROL_BREAKPOINT)
		return err;
	err = skip_watch__new(*counter, opts->nr_cpus, watch);
	return err == -ENOMEM ? err : 0;
}

int gate_skips__find_preemption(const struct auxbpf_bpf *skel)
{
	struct bpf_link *link = bpf_program__attach(skel->progs.find_preemption);

	if (!link) {
		log_err("cannot attach the BPF program find_preemption: %s", strerror(errno));
		return -errno;
	}
	syscall(SYS_getppid);
	bpf_link__destroy(link);
	return 0;
}

int gate_skips__attach(struct auxbpf_bpf *skel, struct skip_watch *watch)
{
	struct auxbpf_session *session = &skel->bss->memory.session;
	int err = gate_object__find(skel, bpf_program__fd(skel->progs.on_sys_enter),
				    &session->sys_enter_program);

	if (!err)
		err = gate_object__find(skel, bpf_program__fd(skel->progs.on_sys_exit),
					&session->sys_exit_program);
	if (err) {
		log_err("cannot find BPF programs in the kernel: %s", strerror(-err));
		return err;
	}
	return skip_watch__attach(watch, skel->progs.on_skip);
}
