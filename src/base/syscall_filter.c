// SPDX-License-Identifier: GPL-2.0-only
#include "base/syscall_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

#define REFUSED (SECCOMP_RET_ERRNO | ENOSYS)

/* System calls of all architectures and C libraries; a name that libseccomp does not know is left out. */
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
	/* threads, processes and their ends */
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
	/* state of this process and of the machine */
	"arch_prctl", "capget", "capset", "clock_getres", "clock_gettime", "getcpu", "getegid", "geteuid",
	"getgid", "getpgid", "getpgrp", "getpriority", "getrandom", "getrlimit", "getrusage", "gettimeofday",
	"getuid", "prctl", "prlimit64", "sched_get_priority_max", "sched_get_priority_min",
	"sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_setaffinity", "sched_setparam",
	"sched_setscheduler", "sched_yield", "setpriority", "setrlimit", "sysinfo", "time", "times",
	"ugetrlimit", "uname",
	/* how this kernel sets a probe (capture/programs/uprobe_trampoline.h) */
	"perf_event_open",
	/* processes that auxbpf forks, Docker, systemd */
	"connect", "getsockopt", "recvfrom", "recvmsg", "sendmsg", "sendto", "setsockopt", "shutdown",
	"socketpair"};

/* Maps can be read and written, and programs of others read; nothing can be created, loaded or attached. */
static const enum bpf_cmd bpf_allowed[] = {
	BPF_MAP_LOOKUP_ELEM,	BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,	BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,	BPF_MAP_DELETE_BATCH, BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_PROG_TEST_RUN,	BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID,
	BPF_OBJ_GET_INFO_BY_FD, BPF_BTF_GET_FD_BY_ID, BPF_ITER_CREATE,
};

/*
 * libseccomp can make such a filter, but where memory is short it ends the process, hangs, or loads another
 * filter (2.5.4). Each name or command takes two instructions; the others are those of add_begin(),
 * add_socket(), add_bpf() and the end.
 */
#define MAX_INSNS (2 * ARRAY_SIZE(allowed) + 2 * ARRAY_SIZE(bpf_allowed) + 16)

struct filter {
	struct sock_filter insns[MAX_INSNS];
	unsigned short nr;
};

static void add(struct filter *f, struct sock_filter insn)
{
	f->insns[f->nr++] = insn;
}

static void add_load(struct filter *f, size_t offset)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void add_end(struct filter *f, uint32_t action)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips the next @len instructions unless the loaded value is @value. */
static void add_if(struct filter *f, uint32_t value, size_t len)
{
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, (uint8_t)len));
}

static void add_allowed(struct filter *f, uint32_t value)
{
	add_if(f, value, 1);
	add_end(f, SECCOMP_RET_ALLOW);
}

/*
 * Loads the number of the system call. In a call of another architecture, which this program never makes, the
 * value of `arch` stays loaded instead: it is no system call's number, so the call is refused.
 */
static void add_begin(struct filter *f)
{
	add_load(f, offsetof(struct seccomp_data, arch));
	add_if(f, seccomp_arch_native(), 1);
	add_load(f, offsetof(struct seccomp_data, nr));
}

static void add_numbers(struct filter *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		int nr = seccomp_syscall_resolve_name(allowed[i]);

		/* A number below 0 belongs to a call that only other architectures have. */
		if (nr >= 0)
			add_allowed(f, (uint32_t)nr);
	}
}

/* Allows only sockets of this machine, so that no trace leaves it through this process. */
static void add_socket(struct filter *f)
{
	add_if(f, SYS_socket, 4);
	add_load(f, offsetof(struct seccomp_data, args));
	add_allowed(f, AF_UNIX);
	add_end(f, REFUSED);
}

static void add_bpf(struct filter *f)
{
	add_if(f, SYS_bpf, 2 + 2 * ARRAY_SIZE(bpf_allowed));
	add_load(f, offsetof(struct seccomp_data, args));
	for (size_t i = 0; i < ARRAY_SIZE(bpf_allowed); i++)
		add_allowed(f, bpf_allowed[i]);
	add_end(f, REFUSED);
}

static int load(void)
{
	struct filter f = {.nr = 0};
	struct sock_fprog program = {.filter = f.insns};
	long failed;

	/*
	 * The kernel does not run the filter for calls that are allowed by number alone (kernel/seccomp.c,
	 * seccomp_cache_check_allow()).
	 */
	add_begin(&f);
	add_bpf(&f);
	add_socket(&f);
	add_numbers(&f);
	add_end(&f, REFUSED);
	program.len = f.nr;
	failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	/* A result above 0 is the id of a thread that already has a filter of its own. */
	return failed < 0 ? -errno : failed ? -EBUSY : 0;
}

/* Whether this process, or the one that it was forked from, has loaded the filter. */
static bool loaded;

int syscall_filter__load(void)
{
	int err = loaded ? 0 : load();

	if (err == -EINVAL || err == -ENOSYS) {
		log_debug("all system calls are left: this kernel has no seccomp filters");
		return 0;
	}
	loaded = !err;
	return err;
}
