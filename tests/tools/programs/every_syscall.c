// SPDX-License-Identifier: GPL-2.0-only
/*
 * every_syscall LAST: makes the system calls 0 to LAST, none of which does anything: a filter answers them
 * with ENOSYS. So strace shows which of them are in a class. Exits with 1 if one was really made.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The sixth argument of the calls that the filter is for. */
#define MARK 0x7777

#if defined(__x86_64__)
/* uretprobe and uprobe pass any filter, and kill who makes them from elsewhere than the kernel's trampoline.
 */
#define IS_UPROBE(nr) ((nr) == 335 || (nr) == 336)
#else
#define IS_UPROBE(nr) 0
#endif

static int answer_with_enosys(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	long last = argc == 2 ? atol(argv[1]) : -1;
	int status = 0;

	if (last < 0) {
		fprintf(stderr, "usage: every_syscall LAST\n");
		return 2;
	}
	if (answer_with_enosys()) {
		perror("every_syscall: seccomp");
		return 1;
	}
	for (long nr = 0; nr <= last && !status; nr++)
		status = !IS_UPROBE(nr) && (syscall(nr, 0, 0, 0, 0, 0, MARK) != -1 || errno != ENOSYS);
	/* Not by return: in the C library's own calls the register of the sixth argument may still have the
	 * mark. */
	return (int)syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
}
