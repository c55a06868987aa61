/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All triggers of a session, by the order in which they were given: --snapshot-on RULE and --rules FILE.
 */
#ifndef AUXBPF_RULES_TRIGGER_SET_H
#define AUXBPF_RULES_TRIGGER_SET_H

#include <stddef.h>

#include "base/cleanup.h"
#include "rules/trigger.h"

/* Zero-initialised is empty. */
struct trigger_set {
	struct trigger *all;
	size_t nr; /* at most AUXBPF_MAX_TRIGGERS */
};

/* Adds one rule. 0, or as trigger__parse(); the set is as it was after an error. */
int trigger_set__add(struct trigger_set *set, const char *text, const struct trigger_opts *opts,
		     char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Adds the rules of a file, whose contents are @text: one a line. A line may be blank, and what follows a #
 * is a comment, if the # begins the line or is behind a blank and not in quotes.
 *
 * 0, or as trigger__parse(), with "FILE:LINE: " at the begin of @message, which is @file and the number of
 * the line, and needs room beside RULE_MESSAGE_SIZE; a file without rules is an error too. The rules before
 * the one that is wrong are in the set.
 */
int trigger_set__add_file(struct trigger_set *set, const char *text, const char *file,
			  const struct trigger_opts *opts, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3, 4, 5);

/* Releases all of them; the set is empty then. */
void trigger_set__release(struct trigger_set *set) _nonnull_(1);

#endif
