/* SPDX-License-Identifier: GPL-2.0-only */
/* The name of a tracepoint in what the user wrote, CATEGORY:EVENT, and whether there is one of that name. */
#ifndef AUXBPF_RULES_TRACEPOINT_NAME_H
#define AUXBPF_RULES_TRACEPOINT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "rules/rule_lex.h"

struct tracepoint_name {
	char *category, *event; /* letters, digits, _ and -; NULL: not read yet */
};

/* Looks tracepoints up. */
struct tracepoint_source {
	/*
	 * Appends the format of a tracepoint (events/CATEGORY/EVENT/format of tracefs) to @text. Returns 0 or
	 * a negative errno: -ENOENT if there is no such tracepoint, -ENODEV if tracefs is not mounted. If
	 * this is NULL, formats are not read, and every name is taken for one that there is.
	 */
	int (*format)(void *arg, const char *category, const char *event, struct buf *text);
	/*
	 * Offers all tracepoints, as CATEGORY:EVENT, in place of one that does not exist; NULL: none are
	 * known.
	 */
	void (*offer)(void *arg, const char *wanted, struct nearest *near);
	void *arg;
};

/*
 * Takes the name that is at *@at in the text of @r, and moves *@at behind it. @example, in messages, shows a
 * whole option or rule. 0, -ENOMEM, or -EINVAL with the message of @r. Release @name after an error too.
 */
int tracepoint_name__take(const struct rule_reader *r, size_t *at, const char *example,
			  struct tracepoint_name *name) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Appends the format of the tracepoint and a NUL to @format; nothing if @source reads none. 0, -ENOMEM, or
 * -EINVAL if there is no such tracepoint or its format cannot be read: then @message says why.
 */
int tracepoint_name__read_format(const struct tracepoint_name *name, const struct tracepoint_source *source,
				 struct buf *format, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3, 4);

/* Tells whether both name the same tracepoint. */
bool tracepoint_name__is(const struct tracepoint_name *name, const struct tracepoint_name *other)
	_nonnull_(1, 2);

/* Frees the name and leaves it empty. */
void tracepoint_name__release(struct tracepoint_name *name) _nonnull_(1);

#endif
