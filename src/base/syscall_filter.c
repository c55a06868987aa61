// SPDX-License-Identifier: GPL-2.0-only
#include "base/syscall_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"

/* Those of all architectures and C libraries; a name that libseccomp does not know is left out. */
static const char *const allowed[] = {
	/* files */
	"access", "chmod", "close", "close_range", "copy_file_range", "dup", "dup2", "dup3", "faccessat",
	"faccessat2", "fallocate", "fchmod", "fchmodat", "fchmodat2", "fcntl", "fdatasync", "flock", "fstat",
	"fstatfs", "fsync", "ftruncate", "getcwd", "getdents64", "ioctl", "link", "linkat", "lseek", "lstat",
	"mkdir", "mkdirat", "newfstatat", "open", "openat", "openat2", "pread64", "preadv", "preadv2",
	"pwrite64", "pwritev", "pwritev2", "read", "readlink", "readlinkat", "readv", "rename", "renameat",
	"renameat2", "stat", "statfs", "statx", "symlink", "symlinkat", "sync_file_range", "syncfs", "umask",
	"unlink", "unlinkat", "utimensat", "write", "writev",
	/* memory */
	"brk", "madvise", "memfd_create", "mmap", "mprotect", "mremap", "msync", "munmap",
	/* threads, helpers and their ends */
	"clone", "clone3", "exit", "exit_group", "fork", "futex", "get_robust_list", "getpid", "getppid",
	"getsid", "gettid", "kill", "membarrier", "pidfd_open", "pidfd_send_signal", "rseq",
	"set_robust_list", "set_tid_address", "tgkill", "vfork", "wait4", "waitid",
	/* signals */
	"restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn",
	"rt_sigtimedwait", "sigaltstack", "signalfd4",
	/* waiting */
	"clock_nanosleep", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
	"eventfd2", "inotify_add_watch", "inotify_init1", "inotify_rm_watch", "nanosleep", "pipe", "pipe2",
	"poll", "ppoll", "pselect6", "select", "timerfd_create", "timerfd_gettime", "timerfd_settime",
	/* what it is, and what the machine is */
	"arch_prctl", "capget", "capset", "clock_getres", "clock_gettime", "getcpu", "getegid", "geteuid",
	"getgid", "getpgrp", "getpriority", "getrandom", "getrlimit", "getrusage", "gettimeofday", "getuid",
	"prctl", "prlimit64", "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity",
	"sched_getparam", "sched_getscheduler", "sched_setaffinity", "sched_setparam", "sched_setscheduler",
	"sched_yield", "setpriority", "setrlimit", "sysinfo", "time", "times", "ugetrlimit", "uname",
	/* how this kernel sets a probe (kernel/uprobe_trampoline.h) */
	"perf_event_open",
	/* helpers, Docker, systemd */
	"connect", "getsockopt", "recvfrom", "recvmsg", "sendmsg", "sendto", "setsockopt", "shutdown",
	"socketpair"};

/* Maps are read and written, programs of others read; none is made, loaded or attached. */
static const enum bpf_cmd bpf_allowed[] = {
	BPF_MAP_LOOKUP_ELEM,	BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,	BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,	BPF_MAP_DELETE_BATCH, BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_PROG_TEST_RUN,	BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID,
	BPF_OBJ_GET_INFO_BY_FD, BPF_BTF_GET_FD_BY_ID, BPF_ITER_CREATE,
};

static int allow(scmp_filter_ctx filter, const char *name)
{
	int nr = seccomp_syscall_resolve_name(name);

	return nr == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, nr, 0);
}

/* Sockets of this machine only: no trace leaves it by this process. */
static int allow_some(scmp_filter_ctx filter)
{
	int err =
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX));

	for (size_t i = 0; !err && i < ARRAY_SIZE(bpf_allowed); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				       SCMP_A0(SCMP_CMP_EQ, bpf_allowed[i]));
	return err;
}

static int make(scmp_filter_ctx filter)
{
	int err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

	/* A search by halves: the recorder's calls are made while a CPU is frozen. */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (size_t i = 0; !err && i < ARRAY_SIZE(allowed); i++)
		err = allow(filter, allowed[i]);
	return err ? err : allow_some(filter);
}

/* Of this process, or of the one that it was forked from. */
static bool loaded;

int syscall_filter__load(void)
{
	scmp_filter_ctx filter;
	int err;

	if (loaded)
		return 0;
	filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	err = filter ? make(filter) : -ENOMEM;
	if (!err)
		err = seccomp_load(filter);
	loaded = !err;
	seccomp_release(filter);
	if (err == -EINVAL || err == -ENOSYS || err == -EOPNOTSUPP) {
		log_debug("all system calls are left: this kernel has no seccomp filters");
		return 0;
	}
	return err;
}
