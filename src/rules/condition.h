/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The language of conditions, which narrow down windows and triggers (rules/trigger.h). A condition is
 * compiled to tables that bpf/auxbpf_condition.h evaluates.
 *
 *   condition       comparisons joined by && and || (&& binds tighter) and (); !( ) is the opposite
 *   comparison      FIELD == VALUE, also != < <= > >=
 *                   FIELD & MASK: any of these bits is set
 *                   (FIELD & MASK) == VALUE, also != < <= > >=
 *
 *   field           what it is compared with
 *   arg0 to arg5    numbers, sizes (4k, 1M, 2GiB: powers of 1024), flags (O_CREAT), signals (SIGTERM)
 *   ret             as arg0, and errors (-ENOENT); signed
 *   latency         times: 100ns 20us 5ms 1s
 *   offcpu, runq    times
 *   sig             numbers and signals (SIGTERM)
 *   code            numbers
 *   pid, tid, ppid  numbers of the process, the thread and the parent, in auxbpf's PID namespace
 *   cpu             a number
 *   uid             numbers and names of users; the real uid, in the initial user namespace
 *   cgroup          an id or a path, with == and != only; exactly this cgroup of the v2 hierarchy; a path
 *                   also stands for a cgroup that is made again there (rules/named_cgroups.h)
 *   comm            the task's whole name, at most 15 characters, with == and != only
 *
 * Numbers are decimal, hexadecimal (0x) or octal (0); flags and numbers may be joined with |, in parentheses
 * or not. Strings need quotes, of either kind, where they have blanks or characters of operators.
 *
 * Signs: an argument has 64 bits, and only the kernel knows its type. It is compared as unsigned. But if the
 * value is negative, the argument is taken as an int, that is the low 32 bits, signed (arg0 == AT_FDCWD,
 * arg0 <= -1), and if the value is below -2^31, as 64 bits, signed. With a mask it is always unsigned, so the
 * sign of a file offset is arg1 & 0x8000000000000000.
 */
#ifndef AUXBPF_RULES_CONDITION_H
#define AUXBPF_RULES_CONDITION_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "rules/condition_code.h"
#include "rules/condition_field.h"
#include "rules/rule_lex.h"

/* The fields that an event has besides those of the language. */
struct condition_event_fields {
	/*
	 * Finds the field of that name, which stays valid until the condition is parsed. Returns -ENOENT if
	 * the event has none, so that a field of the language may be meant, or -EINVAL if it cannot be
	 * compared, and then @why says why.
	 */
	int (*find)(void *arg, const char *name, const struct condition_field **ret, char *why, size_t size);
	/* Offers all fields of the event in place of a wrong name. */
	void (*offer)(void *arg, struct nearest *near, const char *wanted);
	/* Writes their names, as many as fit: "error, nr_sector". */
	void (*list)(void *arg, char *text, size_t size);
	void *arg;
};

struct condition_opts {
	uint32_t fields;			    /* CONDITION_FIELD() bits: known at this moment */
	const char *moment;			    /* name of the moment: "at the begin of a system call" */
	const struct condition_names *names;	    /* NULL: names of users and cgroups are errors */
	const struct condition_event_fields *event; /* NULL: it has no fields of its own */
};

/*
 * Compiles the condition that begins in @text at *@at, and moves *@at to its end: the end of the text, or a
 * closing parenthesis that the condition did not open.
 *
 * Returns -EINVAL if it is wrong or has more than AUXBPF_CONDITION_TESTS comparisons. Then @message says what
 * was expected, and points at the place.
 */
int condition__parse(const char *text, size_t *at, const struct condition_opts *opts,
		     struct auxbpf_condition *ret, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3, 4, 5);

/* Compiles a condition that is all of @text from @at on. Errors are those of condition__parse(). */
int condition__parse_rest(const char *text, size_t at, const struct condition_opts *opts,
			  struct auxbpf_condition *ret, char *message, size_t size) _must_check_
	_nonnull_(1, 3, 4, 5);

#endif
