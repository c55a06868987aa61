// SPDX-License-Identifier: GPL-2.0-only
#include "rules/trigger_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r"

int trigger_set__add(struct trigger_set *set, const char *text, const struct trigger_opts *opts,
		     char *message, size_t size)
{
	struct trigger *all;
	int err;

	*message = '\0';
	if (set->nr == AUXBPF_MAX_TRIGGERS) {
		snprintf(message, size, "there is room for %d rules", AUXBPF_MAX_TRIGGERS);
		return -EINVAL;
	}
	all = reallocarray(set->all, set->nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	set->all = all;
	err = trigger__parse(text, opts, &all[set->nr], message, size);
	if (!err)
		set->nr++;
	return err;
}

/* Returns how many of the @len characters of a line are before its comment. */
static size_t comment_at(const char *line, size_t len)
{
	char quote = '\0';

	for (size_t i = 0; i < len; i++) {
		if (quote && line[i] == '\\')
			i++;
		else if (line[i] == quote)
			quote = '\0';
		else if (!quote && (line[i] == '"' || line[i] == '\''))
			quote = line[i];
		else if (!quote && line[i] == '#' && (!i || strchr(BLANKS, line[i - 1])))
			return i;
	}
	return len;
}

static int add_line(struct trigger_set *set, const char *line, size_t len, const struct trigger_opts *opts,
		    char *message, size_t size)
{
	_cleanup_free_ char *rule = NULL;

	len = comment_at(line, len);
	while (len && strchr(BLANKS, line[len - 1]))
		len--;
	if (strspn(line, BLANKS) >= len)
		return 0;
	rule = strndup(line, len);
	return rule ? trigger_set__add(set, rule, opts, message, size) : -ENOMEM;
}

int trigger_set__add_file(struct trigger_set *set, const char *text, const char *file,
			  const struct trigger_opts *opts, char *message, size_t size)
{
	char why[RULE_MESSAGE_SIZE] = "";
	size_t before = set->nr, len;
	unsigned int line = 0;
	int err = 0;

	*message = '\0';
	do {
		len = strcspn(text, "\n");
		line++;
		err = add_line(set, text, len, opts, why, sizeof(why));
		text += len;
	} while (!err && *text++);
	if (err == -EINVAL)
		snprintf(message, size, "%s:%u: %s", file, line, why);
	if (err || set->nr > before)
		return err;
	snprintf(message, size, "%s has no rules; syscall:openat ret == -ENOENT is one", file);
	return -EINVAL;
}

void trigger_set__release(struct trigger_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		trigger__release(&set->all[i]);
	free(set->all);
	*set = (struct trigger_set){0};
}
