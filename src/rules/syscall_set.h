/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of system calls, by number, for this machine's own ABI and for that of its 32-bit programs. Names
 * and numbers are libseccomp's.
 *
 * A list of them is made of items with commas between, applied from left to right:
 *
 *   openat          the calls of that name in both ABIs; what 32-bit programs do through socketcall or ipc
 *                   has these names
 *   257             the call of that number in this machine's own ABI
 *   %file           a class of calls, see rules/syscall_class.h
 *   /^sched_/       the calls whose names match a POSIX extended regular expression, up to 256 characters
 *   all             every call
 *   ITEM(CONDITION) these, if the condition (rules/condition.h) holds as they begin
 *   !ITEM           not these; if it is the first item, all but these. Every excluded item has its own !
 *
 * A call that is listed with several conditions counts if any of them holds.
 */
#ifndef AUXBPF_RULES_SYSCALL_SET_H
#define AUXBPF_RULES_SYSCALL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "rules/condition.h"

/* Zero-initialised is the empty set. */
struct syscall_set {
	/* AUXBPF_SYSCALL_NONE, AUXBPF_SYSCALL_ALWAYS, or AUXBPF_SYSCALL_CONDITION and an index, for each number */
	uint8_t native[AUXBPF_MAX_SYSCALLS];
	uint8_t compat[AUXBPF_MAX_SYSCALLS];
	struct auxbpf_condition conditions[AUXBPF_MAX_CONDITIONS];
	size_t nr_conditions;
	bool began_with_all; /* the first item was an excluded one */
};

/*
 * Applies a list to @set, after what earlier lists made of it. @names may be NULL: conditions then know no
 * users and cgroups by name. @size should be RULE_MESSAGE_SIZE.
 *
 * On -EINVAL @message says what is wrong with which item and what was perhaps meant, points at the place,
 * and the set is of no use. A list that leaves nothing in the set is wrong too.
 */
int syscall_set__add(struct syscall_set *set, const char *list, const struct condition_names *names,
		     char *message, size_t size) _must_check_ _nonnull_(1, 2, 4);

/*
 * The same for a list without conditions that begins in @text at *@at. It ends where @text does, or at a
 * blank that is neither before nor behind a comma; *@at is moved there.
 */
int syscall_set__parse(struct syscall_set *set, const char *text, size_t *at, char *message,
		       size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/* Numbers of restart_syscall, which continues what a signal interrupted; -1 where there is none. */
int syscall__restart_nr(void);
int syscall__compat_restart_nr(void);

/*
 * Puts the numbers of the calls that may change the real user of the task that makes them, of both ABIs, into
 * @nrs and returns how many there are. No others do: kernel/sys.c.
 */
#define SYSCALL_USER_CALLS 12
size_t syscall__user_calls(int nrs[SYSCALL_USER_CALLS]) _nonnull_(1);

/* The name of a call of this architecture, or with @compat of its 32-bit programs; NULL if it has none. To be
 * freed. */
char *syscall__name(int nr, bool compat) _must_check_;

#endif
