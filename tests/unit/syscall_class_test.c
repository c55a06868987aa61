// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classes of system calls, in all architectures. The module itself is a part of this program, since it lists the names
 * of a class for nobody else; syscall_class.bats compares the classes with those of strace.
 */
#include "rules/syscall_class.c"

#include <seccomp.h>
#include <stdint.h>

#include "check.h"

static bool is_known(const char *name)
{
	static const uint32_t archs[] = {SCMP_ARCH_X86_64, SCMP_ARCH_X86, SCMP_ARCH_AARCH64, SCMP_ARCH_ARM};
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		/* A number of libseccomp's own, for a call of another architecture, is negative and has no
		 * name. */
		int nr = seccomp_syscall_resolve_name_arch(archs[i], name);
		_cleanup_free_ char *back = seccomp_syscall_resolve_num_arch(archs[i], nr);

		known |= nr >= 0 && back && !strcmp(back, name);
	}
	return known;
}

static void test_names(void)
{
	static const char *const names[] = {"clock", "creds",  "desc",	 "file",  "fstat",   "fstatfs",
					    "ipc",   "lstat",  "memory", "net",	  "network", "process",
					    "pure",  "signal", "stat",	 "%stat", "statfs",  "%statfs"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct syscall_class *class = syscall_class__find(names[i]);
		_cleanup_free_ char *copy = class ? strdup(class->syscalls) : NULL;
		char *rest = copy, *name, *before = NULL;

		if (!CHECK(copy))
			continue;
		while ((name = strsep(&rest, " "))) {
			if (!CHECK(is_known(name)))
				fprintf(stderr, "%%%s: '%s'\n", names[i], name);
			CHECK(!before || strcmp(before, name));
			CHECK(syscall_class__has(class, name));
			before = name;
		}
	}
	CHECK(!syscall_class__find("none"));
}

static void test_has(void)
{
	const struct syscall_class *class = syscall_class__find("%stat");

	CHECK(syscall_class__has(class, "stat"));
	CHECK(syscall_class__has(class, "fstat"));
	CHECK(syscall_class__has(class, "statx"));
	CHECK(!syscall_class__has(class, "sta"));
	CHECK(!syscall_class__has(class, "tat"));
	CHECK(!syscall_class__has(class, ""));
	CHECK(!syscall_class__has(class, "stat fstat"));
}

int main(void)
{
	test_names();
	test_has();
	return check__done();
}
