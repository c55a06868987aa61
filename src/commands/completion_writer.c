// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of the build, which runs on the machine that builds: it fills the templates in completions/ with the
 * options of option_table.def.
 *
 *	completion_writer <TEMPLATE >COMPLETION	copies; for a line "# @NAME@" come the lines of the part NAME
 *	completion_writer options			prints the options, one a line, for scripts/check-options
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/option_table.h"

#define for_each_option(entry) \
	for (const struct option_entry *entry = option_table; entry < option_table + OPTION_TABLE_NR; entry++)

/* Prints the letter, if there is one, the text @between, and the name. */
static void print_names(const struct option_entry *entry, const char *between)
{
	if (entry->letter)
		printf("%s%s", entry->letter, between);
	fputs(entry->name, stdout);
}

static bool has_candidates(const struct option_entry *entry)
{
	return entry->words || entry->function;
}

static void print_bash_options(const char *indent)
{
	const char *before = "";

	printf("%soptions=\"", indent);
	for_each_option(entry)
	{
		fputs(before, stdout);
		print_names(entry, " ");
		before = " ";
	}
	puts("\"");
}

/* Optional arguments are left out: bash does not tell --name=ARG from --name ARG, where ARG is another word. */
static void print_bash_values(const char *indent)
{
	for_each_option(entry)
	{
		if (!has_candidates(entry) || entry->takes == ARGUMENT_OPTIONAL)
			continue;
		fputs(indent, stdout);
		print_names(entry, " | ");
		printf(") _auxbpf_%s", entry->function ?: "words");
		if (entry->words)
			printf(" \"%s\"", entry->words);
		puts(" ;;");
	}
}

static void print_bash_with_argument(const char *indent)
{
	const char *before = indent;

	for_each_option(entry)
	{
		if (entry->takes != ARGUMENT_REQUIRED)
			continue;
		fputs(before, stdout);
		print_names(entry, " | ");
		before = " | ";
	}
	puts(") ((i++)) ;;");
}

/* Prints ":process ids:_auxbpf_pids", or "::size:(2K 4K)" if the argument may be left out. */
static void print_zsh_value(const struct option_entry *entry)
{
	if (entry->takes == ARGUMENT_NONE)
		return;
	printf("%s%s:", entry->takes == ARGUMENT_REQUIRED ? ":" : "::", entry->value);
	if (!entry->function)
		putchar('(');
	else if (entry->words)
		/* The blank before it lets the function have the words alone, without options for compadd. */
		printf(" _auxbpf_%s ", entry->function);
	else
		printf("_auxbpf_%s", entry->function);
	for (const char *c = entry->words ?: ""; *c; c++)
		printf(*c == ':' ? "\\%c" : "%c", *c);
	if (!entry->function)
		putchar(')');
}

/* Prints which options an option excludes: all others, itself, or none. */
static void print_zsh_excluded(const struct option_entry *entry)
{
	if (entry->alone)
		fputs("(- *)", stdout);
	else if (entry->repeated)
		putchar('*');
	else if (entry->letter)
		printf("(%s %s)", entry->letter, entry->name);
}

static void print_zsh_options(const char *indent)
{
	for_each_option(entry)
	{
		const bool required = entry->takes == ARGUMENT_REQUIRED,
			   optional = entry->takes == ARGUMENT_OPTIONAL;
		const char *behind_name = required ? "=" : optional ? "=-" : "";

		printf("%s'", indent);
		print_zsh_excluded(entry);
		if (entry->letter)
			printf("'{%s%s,%s%s}'", entry->letter, optional ? "-" : "", entry->name, behind_name);
		else
			printf("%s%s", entry->name, behind_name);
		printf("[%s]", entry->tip);
		print_zsh_value(entry);
		puts("'");
	}
}

/* Prints " -x -a 'cpu task all'": the argument is required, and no file unless it is said. */
static void print_fish_value(const struct option_entry *entry)
{
	if (entry->takes != ARGUMENT_REQUIRED)
		return;
	if (!entry->function)
		printf(" -x -a '%s'", entry->words);
	else if (!strcmp(entry->function, "files"))
		fputs(" -r -F", stdout);
	else
		printf(" -x -a '(__auxbpf_%s%s%s)'", entry->function, entry->words ? " " : "",
		       entry->words ?: "");
}

static void print_fish_options(const char *indent)
{
	for_each_option(entry)
	{
		const char *name = entry->name + strlen("--");

		printf("%scomplete -c auxbpf -n $main", indent);
		if (entry->letter)
			printf(" -s %s", entry->letter + strlen("-"));
		printf(" -l %s", name);
		print_fish_value(entry);
		printf(" -d '%s'\n", entry->tip);
		if (entry->takes == ARGUMENT_WORD)
			printf("%scomplete -c auxbpf -n '__fish_contains_opt -s %s %s' -a '%s' -d '%s'\n",
			       indent, entry->letter + strlen("-"), name, entry->words, entry->value);
	}
}

/* Letters come first, because fish takes those behind names for options of the function that gets them. */
static void print_fish_with_argument(const char *indent)
{
	printf("%sset -l with_argument", indent);
	for_each_option(entry)
	{
		if (entry->takes == ARGUMENT_REQUIRED && entry->letter)
			printf(" %s", entry->letter);
	}
	for_each_option(entry)
	{
		if (entry->takes == ARGUMENT_REQUIRED)
			printf(" %s", entry->name);
	}
	putchar('\n');
}

/* The parts of templates. Each line begins with the indentation of the line in the template. */
static const struct part {
	const char *name;
	void (*print)(const char *indent);
} parts[] = {
	{"bash-options", print_bash_options},
	{"bash-values", print_bash_values},
	{"bash-with-argument", print_bash_with_argument},
	{"zsh-options", print_zsh_options},
	{"fish-options", print_fish_options},
	{"fish-with-argument", print_fish_with_argument},
};

static const struct part *find_part(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strlen(parts[i].name) == len && !strncmp(parts[i].name, name, len))
			return &parts[i];
	}
	return NULL;
}

/* Copies a line of a template, or prints the part that it names. Returns how many parts that were, or -1. */
static int fill_line(char *line)
{
	const size_t nr_blanks = strspn(line, " \t");
	const char *marker = line + nr_blanks;
	const struct part *part;
	const char *name;

	if (strncmp(marker, "# @", 3)) {
		fputs(line, stdout);
		return 0;
	}
	name = marker + 3;
	part = find_part(name, strcspn(name, "@"));
	if (!part) {
		fprintf(stderr, "completion_writer: there is no such part: %s", marker);
		return -1;
	}
	line[nr_blanks] = '\0';
	part->print(line);
	return 1;
}

/* A template that has no parts is a mistake, too. */
static int fill_template(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int nr = 0;

	while (getline(&line, &size, stdin) > 0) {
		const int more = fill_line(line);

		if (more < 0)
			return EXIT_FAILURE;
		nr += more;
	}
	if (!nr)
		fputs("completion_writer: the template names no part\n", stderr);
	return nr ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_all(void)
{
	for_each_option(entry)
	{
		print_names(entry, "\n");
		putchar('\n');
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const int status = argc == 2 && !strcmp(argv[1], "options") ? print_all() : fill_template();

	return fflush(stdout) || ferror(stdout) || ferror(stdin) ? EXIT_FAILURE : status;
}
