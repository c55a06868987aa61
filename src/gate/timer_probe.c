// SPDX-License-Identifier: GPL-2.0-only
#include "gate/timer_probe.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "loader/session_object.h"
#include "timers.skel.h"

int timer_probe__load(void)
{
	struct timers_bpf *skel = SESSION_OBJECT_OPEN_ALONE(timers_bpf);
	int err = skel ? timers_bpf__load(skel) : -errno;

	timers_bpf__destroy(skel);
	return err;
}

int timer_probe__run(int (*load)(void))
{
	int err = load();

	if (err == -EPERM)
		session_object__log_load_error(err);
	else if (err == -EOPNOTSUPP)
		log_err("--after: a real-time kernel (PREEMPT_RT) gives BPF programs no timers; leave "
			"--after away, or use another kernel");
	else if (err)
		log_err("--after: this kernel gives BPF programs no timers: %s; run with -v to see what "
			"libbpf says",
			strerror(-err));
	return err;
}
