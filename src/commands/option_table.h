/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of the main command's options, which option_table.def holds, and what getopt_long() needs to know of it.
 *
 * Pure: a program of the build (completion_writer.c) links this module too, to write the completions.
 */
#ifndef AUXBPF_COMMANDS_OPTION_TABLE_H
#define AUXBPF_COMMANDS_OPTION_TABLE_H

#include <getopt.h>
#include <stdbool.h>

#include "base/cleanup.h"

/* A group has a heading of its own in the help of all options. */
enum option_group {
	GROUP_WINDOWS,
	GROUP_TARGETS,
	GROUP_SNAPSHOTS,
	GROUP_STREAM,
	GROUP_OTHERS,
};

enum option_argument {
	ARGUMENT_NONE,
	ARGUMENT_REQUIRED, /* --name ARG, --name=ARG */
	ARGUMENT_OPTIONAL, /* --name, --name=ARG */
	ARGUMENT_WORD,	   /* --name, --name ARG: the next word if there is one */
};

/* An option that needs something makes no sense in a command line without that. */
enum option_needs {
	NEEDS_NOTHING,
	NEEDS_COMMAND,
	NEEDS_TRACE,
	NEEDS_SAMPLES, /* of regular events */
	NEEDS_SNAPSHOTS,
	NEEDS_SNAPSHOTS_OR_STREAM,
	OPTION_NEEDS_NR,
};

struct option_entry {
	const char *name;   /* "--pid" */
	const char *letter; /* "-p"; NULL: it has none */
	enum option_group group;
	enum option_argument takes;
	const char *argument; /* its name in the help, "PATH|ID"; the short help has the first of the two */
	enum option_needs needs;
	bool repeated;	   /* each that is given counts, not only the last */
	bool alone;	   /* with it no other option has an effect */
	const char *help;  /* its lines in the help of all options, with \n between them */
	const char *usual; /* its line in the short help; NULL: it is not there */

	/* What shells offer. The texts stand between quotes there, and have none of ' " [ ] \ $ in them. */
	const char *tip;      /* what the option does */
	const char *value;    /* what its argument is called */
	const char *words;    /* candidates for the argument, with blanks between them; NULL: none */
	const char *function; /* "pids": the function _auxbpf_pids (fish: __auxbpf_pids) of each template in
				 completions/ offers candidates, and gets the words; NULL: the words are all */
};

enum {
	OPTION_TABLE_NR = 0
#define OPTION(set, ...) +1
#include "commands/option_table.def"
#undef OPTION
};

extern const struct option_entry option_table[OPTION_TABLE_NR];

/* The last two arguments of getopt_long(), but for the index. */
struct option_parser {
	struct option options[OPTION_TABLE_NR + 1];
	/* Begins with '+', so that the first word that is no option ends them. */
	char letters[1 + 3 * OPTION_TABLE_NR + 1];
};

void option_table__init_parser(struct option_parser *parser) _nonnull_(1);

/* Returns the index of the entry for which getopt_long() returned @value; -1 if it found a mistake. */
int option_table__index(int value);

/* Returns how messages call an option: by its letter if it has one. */
const char *option_table__spelling(const struct option_entry *entry) _nonnull_(1);

#endif
