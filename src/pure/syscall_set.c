// SPDX-License-Identifier: GPL-2.0-only
#include "pure/syscall_set.h"

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "pure/nearest.h"

static uint32_t compat_arch(void)
{
	switch (seccomp_arch_native()) {
	case SCMP_ARCH_X86_64:
		return SCMP_ARCH_X86;
	case SCMP_ARCH_AARCH64:
		return SCMP_ARCH_ARM;
	default:
		return 0;
	}
}

/* The number, or -1: libseccomp's negative numbers are calls that other architectures have. */
static int resolve(uint32_t arch, const char *name)
{
	int nr = arch ? seccomp_syscall_resolve_name_arch(arch, name) : -1;

	return nr >= 0 && nr < AUXBPF_MAX_SYSCALLS ? nr : -1;
}

static void set_bit(uint64_t *words, int nr)
{
	if (nr >= 0)
		words[nr / 64] |= 1ull << (nr % 64);
}

static void offer_names(struct nearest *near, uint32_t arch, const char *wanted)
{
	for (int nr = 0; arch && nr < AUXBPF_MAX_SYSCALLS; nr++) {
		_cleanup_free_ char *name = seccomp_syscall_resolve_num_arch(arch, nr);

		if (name)
			nearest__offer(near, wanted, name);
	}
}

static void describe_unknown(const char *name, char *message, size_t size)
{
	struct nearest near = {0};
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];

	offer_names(&near, seccomp_arch_native(), name);
	offer_names(&near, compat_arch(), name);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		snprintf(message, size, "unknown system call '%s'; did you mean %s?", name, names);
	else
		snprintf(message, size, "unknown system call '%s'; `man 2 syscalls` lists them", name);
}

static int add_one(const char *item, struct syscall_set *set, char *message, size_t size)
{
	int native, compat;
	uint64_t nr;

	if (!*item) {
		snprintf(message, size, "an empty name in the list of system calls");
		return -EINVAL;
	}
	if (!parse__u64(item, &nr)) {
		if (nr >= AUXBPF_MAX_SYSCALLS) {
			snprintf(message, size, "there is no system call %s; the numbers end below %d", item,
				 AUXBPF_MAX_SYSCALLS);
			return -EINVAL;
		}
		set_bit(set->native, (int)nr);
		return 0;
	}
	native = resolve(seccomp_arch_native(), item);
	compat = resolve(compat_arch(), item);
	if (native < 0 && compat < 0) {
		describe_unknown(item, message, size);
		return -EINVAL;
	}
	set_bit(set->native, native);
	set_bit(set->compat, compat);
	return 0;
}

int syscall_set__parse(const char *list, struct syscall_set *ret, char *message, size_t size)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy;
	char *item;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	*ret = (struct syscall_set){0};
	/* strsep() and not strtok(): "a,,b" has an empty name. */
	while (!err && (item = strsep(&rest, ",")))
		err = add_one(item, ret, message, size);
	return err;
}

int syscall__restart_nr(void)
{
	return resolve(seccomp_arch_native(), "restart_syscall");
}

int syscall__compat_restart_nr(void)
{
	return resolve(compat_arch(), "restart_syscall");
}
