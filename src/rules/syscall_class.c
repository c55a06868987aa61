// SPDX-License-Identifier: GPL-2.0-only
#include "rules/syscall_class.h"

#include <stdio.h>
#include <string.h>

struct syscall_class {
	const char *name;
	const char *syscalls; /* their names in alphabetical order, separated by blanks */
};

/*
 * Differences to strace: socketcall is in %network, as 32-bit programs make all network calls by it; strace
 * shows the call inside of it. And there are calls newer than strace 6.1 (cachestat, fchmodat2,
 * map_shadow_stack).
 */
static const struct syscall_class classes[] = {
	{"clock", "adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime "
		  "clock_gettime64 clock_settime clock_settime64 gettimeofday settimeofday time"},
	{"creds", "capget capset getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 "
		  "getresgid getresgid32 getresuid getresuid32 getuid getuid32 prctl setfsgid setfsgid32 "
		  "setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setregid setregid32 setresgid "
		  "setresgid32 setresuid setresuid32 setreuid setreuid32 setuid setuid32"},
	{"desc",
	 "arm_fadvise64_64 arm_sync_file_range bpf cachestat close copy_file_range creat dup dup2 "
	 "dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd "
	 "eventfd2 execveat faccessat faccessat2 fadvise64 fadvise64_64 fallocate fanotify_init "
	 "fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 "
	 "fdatasync fgetxattr finit_module flistxattr flock fremovexattr fsconfig fsetxattr fsmount "
	 "fsopen fspick fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 "
	 "futimesat getdents getdents64 inotify_add_watch inotify_init inotify_init1 inotify_rm_watch "
	 "io_uring_enter io_uring_register io_uring_setup ioctl kexec_file_load landlock_add_rule "
	 "landlock_create_ruleset landlock_restrict_self linkat _llseek lseek memfd_create "
	 "memfd_secret mkdirat mknodat mmap mmap2 mount_setattr move_mount mq_getsetattr mq_notify "
	 "mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 "
	 "name_to_handle_at newfstatat _newselect oldfstat open open_by_handle_at open_tree openat "
	 "openat2 perf_event_open pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 poll ppoll "
	 "ppoll_time64 pread64 preadv preadv2 process_madvise process_mrelease pselect6 "
	 "pselect6_time64 pwrite64 pwritev pwritev2 quotactl_fd read readahead readdir readlinkat "
	 "readv renameat renameat2 select sendfile sendfile64 setns signalfd signalfd4 socketcall "
	 "splice statx symlinkat sync_file_range syncfs tee timerfd_create timerfd_gettime "
	 "timerfd_gettime64 timerfd_settime timerfd_settime64 unlinkat userfaultfd utimensat "
	 "utimensat_time64 vmsplice write writev"},
	{"file", "access acct chdir chmod chown chown32 chroot creat execve execveat faccessat faccessat2 "
		 "fanotify_mark fchmodat fchmodat2 fchownat fsconfig fspick fstatat64 futimesat getcwd "
		 "getxattr inotify_add_watch lchown lchown32 lgetxattr link linkat listxattr llistxattr "
		 "lremovexattr lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat mount mount_setattr "
		 "move_mount name_to_handle_at newfstatat oldlstat oldstat open open_tree openat openat2 "
		 "pivot_root quotactl readlink readlinkat removexattr rename renameat renameat2 rmdir "
		 "setxattr stat stat64 statfs statfs64 statx swapoff swapon symlink symlinkat truncate "
		 "truncate64 umount umount2 unlink unlinkat uselib utime utimensat utimensat_time64 utimes"},
	{"fstat", "fstat fstat64 fstatat64 newfstatat oldfstat statx"},
	{"fstatfs", "fstatfs fstatfs64"},
	{"ipc", "ipc msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat "
		"shmctl shmdt shmget"},
	{"lstat", "lstat lstat64 oldlstat"},
	{"memory", "break brk get_mempolicy io_destroy io_setup io_uring_register madvise map_shadow_stack "
		   "mbind migrate_pages mincore mlock mlock2 mlockall mmap mmap2 move_pages mprotect mremap "
		   "msync munlock munlockall munmap pkey_mprotect remap_file_pages set_mempolicy "
		   "set_mempolicy_home_node shmat shmdt"},
	{"network",
	 "accept accept4 bind connect getpeername getpmsg getsockname getsockopt listen putpmsg recv "
	 "recvfrom recvmmsg recvmmsg_time64 recvmsg send sendfile sendfile64 sendmmsg sendmsg sendto "
	 "setsockopt shutdown socket socketcall socketpair"},
	{"process",
	 "clone clone3 execve execveat exit exit_group fork kill pidfd_send_signal rt_sigqueueinfo "
	 "rt_tgsigqueueinfo tgkill tkill vfork wait4 waitid waitpid"},
	{"pure", "getegid getegid32 geteuid geteuid32 getgid getgid32 getpgrp getpid getppid gettid getuid "
		 "getuid32"},
	{"signal", "io_uring_enter kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask "
		   "rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 "
		   "rt_tgsigqueueinfo sgetmask sigaction sigaltstack signal signalfd signalfd4 sigpending "
		   "sigprocmask sigreturn sigsuspend ssetmask tgkill tkill"},
	{"stat", "oldstat stat stat64"},
	{"%stat", "fstat fstat64 fstatat64 lstat lstat64 newfstatat oldfstat oldlstat oldstat stat stat64 "
		  "statx"},
	{"statfs", "statfs statfs64"},
	{"%statfs", "fstatfs fstatfs64 statfs statfs64 ustat"},
};

const struct syscall_class *syscall_class__find(const char *name)
{
	if (!strcmp(name, "net"))
		name = "network";
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (!strcmp(name, classes[i].name))
			return &classes[i];
	}
	return NULL;
}

const struct syscall_class *syscall_class__at(size_t index)
{
	return index < ARRAY_SIZE(classes) ? &classes[index] : NULL;
}

const char *syscall_class__name(const struct syscall_class *class)
{
	return class->name;
}

bool syscall_class__has(const struct syscall_class *class, const char *syscall)
{
	size_t len = strlen(syscall);
	const char *at = class->syscalls;

	while (len && (at = strstr(at, syscall))) {
		if ((at == class->syscalls || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

void syscall_class__offer(struct nearest *near, const char *wanted)
{
	char name[NEAREST_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		snprintf(name, sizeof(name), "%%%s", classes[i].name);
		nearest__offer(near, wanted, name);
	}
}
