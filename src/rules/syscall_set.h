/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of system calls, by number, for this machine's own ABI and for that of its 32-bit programs. Names
 * and numbers are libseccomp's.
 *
 * The user writes a set as a list of items with commas between them. They are applied from left to right:
 *
 *   openat          the calls of that name in both ABIs; a call that a 32-bit program makes through
 *                   socketcall or ipc goes by that name instead
 *   257             the call of that number in this machine's own ABI
 *   %file           a class of calls, see rules/syscall_class.h
 *   /^sched_/       the calls whose names match a POSIX extended regular expression, up to 256 characters
 *   all             every call
 *   ITEM(CONDITION) the calls of ITEM, if the condition (rules/condition.h) holds as they begin
 *   !ITEM           not the calls of ITEM; as the first item, all calls but these. Each excluded item has
 *                   a ! of its own
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
	/*
	 * for each number AUXBPF_SYSCALL_NONE, AUXBPF_SYSCALL_ALWAYS, or AUXBPF_SYSCALL_CONDITION plus the
	 * index of its condition
	 */
	uint8_t native[AUXBPF_MAX_SYSCALLS];
	uint8_t compat[AUXBPF_MAX_SYSCALLS];
	struct auxbpf_condition conditions[AUXBPF_MAX_CONDITIONS];
	size_t nr_conditions;
	bool began_with_all; /* the first item began with ! */
};

/*
 * Applies a list to @set, on top of earlier lists. If @names is NULL, conditions cannot name users and
 * cgroups. @size should be RULE_MESSAGE_SIZE.
 *
 * On -EINVAL @message says which item is wrong, why, and what was perhaps meant, and points at the place;
 * @set must not be used then. A list that leaves nothing in the set is wrong, too.
 */
int syscall_set__add(struct syscall_set *set, const char *list, const struct condition_names *names,
		     char *message, size_t size) _must_check_ _nonnull_(1, 2, 4);

/*
 * Applies a list without conditions that begins in @text at *@at. It ends at the end of @text, or at a blank
 * that is neither before nor behind a comma, and *@at is moved there. Errors are those of syscall_set__add().
 */
int syscall_set__parse(struct syscall_set *set, const char *text, size_t *at, char *message,
		       size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/* Returns the number of the call of this name, in this machine's own ABI; -1 if there is none. */
int syscall__number(const char *name) _must_check_ _nonnull_(1);

/*
 * Return the number of restart_syscall, which continues a call that a signal interrupted; -1 if there is
 * none.
 */
int syscall__restart_nr(void);
int syscall__compat_restart_nr(void);

/*
 * Writes the numbers of the calls by which a task may change its real user, of both ABIs, to @nrs and returns
 * how many there are. No other calls do that: kernel/sys.c.
 */
#define SYSCALL_USER_CALLS 12
size_t syscall__user_calls(int nrs[SYSCALL_USER_CALLS]) _nonnull_(1);

/*
 * Finds the name of a call of this architecture, or with @compat of its 32-bit programs; NULL if it has none.
 * The caller frees it. Returns 0 or -ENOMEM.
 */
int syscall__name(int nr, bool compat, char **ret) _must_check_ _nonnull_(3);

#endif
