// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of options, what getopt_long() makes of it, and the help texts that are made of it.
 */
#include "check.h"

#include <stdlib.h>

#include "commands/option_help.h"
#include "commands/option_table.h"

static void test_names(void)
{
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];

		CHECK(!strncmp(entry->name, "--", 2) && entry->name[2]);
		CHECK(!entry->letter || (entry->letter[0] == '-' && strlen(entry->letter) == 2));
		CHECK_STREQ(option_table__spelling(entry), entry->letter ? entry->letter : entry->name);
		for (int j = 0; j < i; j++) {
			CHECK(strcmp(entry->name, option_table[j].name));
			CHECK(!entry->letter || !option_table[j].letter ||
			      strcmp(entry->letter, option_table[j].letter));
		}
	}
}

/* Whether a text can stand between quotes in the completions of all shells. */
static int is_plain(const char *text)
{
	return text && *text && !strpbrk(text, "'\"[]\\$\n");
}

static void test_texts(void)
{
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];
		const int takes = entry->takes != ARGUMENT_NONE;

		CHECK(entry->help && *entry->help);
		CHECK(is_plain(entry->tip) && !strchr(entry->value ?: "", ':'));
		CHECK_EQ(takes, entry->argument != NULL);
		CHECK_EQ(takes, is_plain(entry->value));
		CHECK_EQ(takes, entry->words || entry->function);
		CHECK(!entry->words || is_plain(entry->words));
		CHECK(!i || entry->group == option_table[i - 1].group ||
		      entry->group == option_table[i - 1].group + 1);
	}
	CHECK_EQ(option_table[0].group, GROUP_WINDOWS);
	CHECK_EQ(option_table[OPTION_TABLE_NR - 1].group, GROUP_OTHERS);
}

/* Checks what getopt_long() makes of words behind the program's name: an option, then one that is none. */
static void parse(int index, const char *word, const char *next, const char *arg, int nr_taken)
{
	struct option_parser parser;
	char *argv[] = {strdup("auxbpf"), strdup(word), strdup(next), strdup("--wait"), NULL};

	option_table__init_parser(&parser);
	optind = 0;
	optarg = NULL;
	CHECK_EQ(option_table__index(getopt_long(4, argv, parser.letters, parser.options, NULL)), index);
	CHECK_STREQ(optarg ?: "", arg);
	CHECK_EQ(optind, 1 + nr_taken);
	if (nr_taken == 1)
		CHECK_EQ(getopt_long(4, argv, parser.letters, parser.options, NULL), -1);
	for (int i = 0; i < 4; i++)
		free(argv[i]);
}

static void test_parser(void)
{
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];
		const int required = entry->takes == ARGUMENT_REQUIRED;
		char with_value[64];

		parse(i, entry->name, "next", required ? "next" : "", 1 + required);
		if (entry->letter)
			parse(i, entry->letter, "next", required ? "next" : "", 1 + required);
		if (!required && entry->takes != ARGUMENT_OPTIONAL)
			continue;
		snprintf(with_value, sizeof(with_value), "%s=value", entry->name);
		parse(i, with_value, "next", "value", 1);
		if (!entry->letter)
			continue;
		snprintf(with_value, sizeof(with_value), "%svalue", entry->letter);
		parse(i, with_value, "next", "value", 1);
	}
	CHECK_EQ(option_table__index('?'), -1);
	CHECK_EQ(option_table__index(':'), -1);
}

static char *help(void (*print)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	print(f);
	fclose(f);
	return text;
}

/* Checks that no line is longer; returns how many there are. */
static int check_lines(const char *text, size_t longest)
{
	int nr = 0;

	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		CHECK(len <= longest);
		if (!CHECK(text[len] == '\n'))
			break;
		nr++;
	}
	return nr;
}

/* Returns the line of an option: it begins with the letter and the name. NULL: there is none. */
static const char *line_of(const char *text, const struct option_entry *entry)
{
	char begin[64];
	const char *at = text;

	snprintf(begin, sizeof(begin), "\n  %s%s %s", entry->letter ?: "  ", entry->letter ? "," : " ",
		 entry->name);
	while ((at = strstr(at, begin)) && !strchr(" [\n", at[strlen(begin)]))
		at++;
	return at;
}

static void test_help(void)
{
	char *usual = help(option_help__print_usual), *all = help(option_help__print_all);
	const char *before = all;

	CHECK(check_lines(usual, 80) <= 24);
	check_lines(all, 90);
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const char *line = line_of(all, &option_table[i]);

		if (CHECK(line != NULL)) {
			CHECK(line > before);
			before = line;
		}
		CHECK_EQ(line_of(usual, &option_table[i]) != NULL, option_table[i].usual != NULL);
	}
	CHECK(strstr(usual, "\n  -G, --cgroup PATH        target: ") != NULL);
	CHECK(strstr(all, "\n  -G, --cgroup PATH|ID      tasks in this cgroup or below\n") != NULL);
	CHECK(strstr(all, "\n      --buildid-cache[=DIR] put them") != NULL);
	CHECK(strstr(all, "\n  -z, --compression-level[=N]\n                            compress") != NULL);
	CHECK(strstr(all, "\n  -h, --help [all]          the options") != NULL);
	free(usual);
	free(all);
}

int main(void)
{
	test_names();
	test_texts();
	test_parser();
	test_help();
	return check__done();
}
