/* SPDX-License-Identifier: GPL-2.0-only */
/* All triggers of a session, in the order in which they were given: --snapshot-on RULE and --rules FILE. */
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

/* Adds one rule. Returns 0 or an error of trigger__parse(); the set is as it was after an error. */
int trigger_set__add(struct trigger_set *set, const char *text, const struct trigger_opts *opts,
		     char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Adds the rules of a file with the contents @text, one a line. A line may be blank. A # begins a comment if
 * it is at the begin of the line or behind a blank, and not in quotes.
 *
 * Returns 0 or an error of trigger__parse(). @message then begins with "FILE:LINE: ", which is @file and the
 * number of the line, and needs room beside RULE_MESSAGE_SIZE. A file without rules is an error, too. After
 * an error the rules before the wrong one are in the set.
 */
int trigger_set__add_file(struct trigger_set *set, const char *text, const char *file,
			  const struct trigger_opts *opts, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3, 4, 5);

/* Releases all triggers and leaves the set empty. */
void trigger_set__release(struct trigger_set *set) _nonnull_(1);

#endif
