// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate_user: has a process become another user and itself again, thousands of times and with hardly a switch
 * of tasks in between, and make listed system calls as either. Prints how many windows the gate's BPF
 * programs began for that user, and how many there should be. There is no AUX event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/control.h"
#include "gate/gate.h"
#include "loader/libbpf_log.h"

#define USER 4321
#define ROUNDS 10000

static void run_as(uid_t uid)
{
	struct utsname name;

	if (setresuid(uid, (uid_t)-1, (uid_t)-1) || uname(&name))
		_exit(1);
}

/* Makes two windows of the user a round: uname, and the call by which the user becomes root. */
static int work(void)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (!child) {
		for (int i = 0; i < ROUNDS; i++) {
			run_as(USER);
			run_as(0);
		}
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		return -errno;
	return status ? -EPERM : 0;
}

static unsigned long long count_windows(const struct gate *gate, int nr_cpus)
{
	unsigned long long windows = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		windows += gate__cpu(gate, cpu)->windows;
	return windows;
}

static int watch(const struct gate_opts *opts)
{
	_cleanup_(cleanup__gate) struct gate *gate = NULL;
	int err = gate__new(opts, NULL, 0, &gate);

	if (!err)
		err = gate__attach(gate);
	if (!err)
		err = gate__arm(gate);
	if (!err)
		err = work();
	if (!err)
		printf("%llu of %d windows\n", count_windows(gate, opts->nr_cpus), 2 * ROUNDS);
	return err;
}

int main(void)
{
	const struct target_set targets = {.by_uid = true, .uids = {USER}, .nr_uids = 1};
	struct window_set windows = {.has_syscalls = true};
	const struct gate_opts opts = {
		.root = "",
		.control = AUXBPF_CONTROL_TRACEPOINT,
		.targets = &targets,
		.windows = &windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
	};
	char message[RULE_MESSAGE_SIZE];
	int err;

	libbpf_log__init();
	err = syscall_set__add(&windows.syscalls, "uname,setresuid", NULL, message, sizeof(message));
	if (!err)
		err = watch(&opts);
	if (err)
		fprintf(stderr, "gate_user: %s\n", strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
