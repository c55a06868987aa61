// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "slack.h"

#define ALL_PATHS ((1u << SLACK_PATHS) - 1)

/* Set in slack.classes once the symbol's kinds are known. */
#define CLASS_KNOWN 0x8000u

struct pattern {
	char *glob;
	unsigned int kinds;
};

struct slack {
	const struct symbols *syms;
	struct pattern *pattern;
	unsigned int nr_patterns;
	uint64_t limit[SLACK_LIMITED];
	uint16_t *classes; /* of each symbol: bits of slack_kind, filled as they are asked for */
};

_Static_assert((1u << SLACK_NR) <= CLASS_KNOWN, "the kinds fit beside CLASS_KNOWN");

static const char *const kind_names[SLACK_NR] = {
	[SLACK_OPEN] = "open",
	[SLACK_CLOSE] = "close",
	[SLACK_CALL] = "call",
	[SLACK_RETURN] = "return",
	[SLACK_SWITCH_OUT] = "switch-out",
	[SLACK_SWITCH_IN] = "switch-in",
	[SLACK_OWN] = "own",
	[SLACK_CALLED] = "called",
	[SLACK_WAIT] = "wait",
	[SLACK_EXIT] = "exit",
	[SLACK_END] = "end",
	[SLACK_FORK] = "fork",
	[SLACK_CHILD] = "child",
};

const char *slack__kind_name(enum slack_kind kind)
{
	return kind_names[kind];
}

static int kind__parse(const char *word)
{
	for (int i = 0; i < SLACK_NR; i++)
		if (!strcmp(word, kind_names[i]))
			return i;
	return -EINVAL;
}

static int slack__add_pattern(struct slack *slack, unsigned int kinds, const char *glob)
{
	struct pattern *mem = realloc(slack->pattern, (slack->nr_patterns + 1) * sizeof(*mem));
	char *copy = strdup(glob);

	if (mem)
		slack->pattern = mem;
	if (!mem || !copy) {
		free(copy);
		return -ENOMEM;
	}
	mem[slack->nr_patterns++] = (struct pattern){.glob = copy, .kinds = kinds};
	return 0;
}

static int slack__parse_limit(struct slack *slack, char **words)
{
	const char *name = strtok_r(NULL, " \t", words);
	const char *number = strtok_r(NULL, " \t", words);
	int kind = name ? kind__parse(name) : -EINVAL;

	if (kind < 0 || kind >= SLACK_LIMITED || !number || strtok_r(NULL, " \t", words))
		return -EINVAL;
	return parse__u64(number, &slack->limit[kind]);
}

static int slack__parse_line(struct slack *slack, char *line)
{
	char *words = NULL, *glob;
	const char *first;
	unsigned int kinds;
	int kind;

	line[strcspn(line, "#\n")] = '\0';
	first = strtok_r(line, " \t", &words);
	if (!first)
		return 0;
	if (!strcmp(first, "limit"))
		return slack__parse_limit(slack, &words);
	kind = kind__parse(first);
	kinds = kind < 0 ? ALL_PATHS : 1u << kind;
	if (kind < 0 && strcmp(first, "all") != 0)
		return -EINVAL;
	while ((glob = strtok_r(NULL, " \t", &words))) {
		int err = slack__add_pattern(slack, kinds, glob);

		if (err)
			return err;
	}
	return 0;
}

static int slack__read(struct slack *slack, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!f) {
		fprintf(stderr, "oracle-check: cannot read %s: %s\n", path, strerror(errno));
		return -errno;
	}
	for (unsigned int nr = 1; getline(&line, &cap, f) > 0; nr++) {
		int err = slack__parse_line(slack, line);

		if (err) {
			fprintf(stderr, "oracle-check: %s:%u: not a slack line\n", path, nr);
			return err;
		}
	}
	return 0;
}

int slack__load(const char *path, const struct symbols *syms, struct slack **ret)
{
	_cleanup_slack_ struct slack *slack = calloc(1, sizeof(*slack));
	int err;

	if (!slack)
		return -ENOMEM;
	slack->syms = syms;
	slack->classes = calloc(symbols__nr(syms), sizeof(*slack->classes));
	if (!slack->classes)
		return -ENOMEM;
	err = slack__read(slack, path);
	if (!err)
		*ret = steal_ptr(slack);
	return err;
}

void slack__free(struct slack *slack)
{
	if (!slack)
		return;
	for (unsigned int i = 0; i < slack->nr_patterns; i++)
		free(slack->pattern[i].glob);
	free(slack->pattern);
	free(slack->classes);
	free(slack);
}

/*
 * The name without what the compiler appends to a function's parts and clones (.cold, .part.0, .constprop.0,
 * .isra.0): they are the function that the list names.
 */
static bool name_matches(const char *name, void *glob)
{
	char base[512];

	snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "."), name);
	return !fnmatch(glob, name, 0) || (*base && !fnmatch(glob, base, 0));
}

static uint16_t slack__class(struct slack *slack, uint32_t sym)
{
	unsigned int kinds = 0;

	for (unsigned int i = 0; i < slack->nr_patterns; i++)
		if (symbols__any_alias(slack->syms, sym, name_matches, slack->pattern[i].glob))
			kinds |= slack->pattern[i].kinds;
	return (uint16_t)(kinds | CLASS_KNOWN);
}

bool slack__allows(struct slack *slack, enum slack_kind kind, uint64_t addr)
{
	uint32_t sym = symbols__find(slack->syms, addr);

	if (sym == SYMBOLS_NONE)
		return false;
	if (!slack->classes[sym])
		slack->classes[sym] = slack__class(slack, sym);
	return slack->classes[sym] & (1u << kind);
}

uint64_t slack__limit(const struct slack *slack, enum slack_kind kind)
{
	return slack->limit[kind];
}

void slack__set_limit(struct slack *slack, enum slack_kind kind, uint64_t limit)
{
	slack->limit[kind] = limit;
}
