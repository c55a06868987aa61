// SPDX-License-Identifier: GPL-2.0-only
#include "commands/option_help.h"

#include <string.h>

#include "commands/option_table.h"

/* The columns at which the texts behind the options begin. */
#define USUAL_COLUMN 27
#define ALL_COLUMN 28

#define SYNOPSIS                                                              \
	"Usage: auxbpf [WINDOWS] [TARGETS] [OPTIONS] [--] COMMAND [ARG...]\n" \
	"       auxbpf [WINDOWS] TARGETS [OPTIONS]\n"                         \
	"       auxbpf list [pmus|syscalls|containers] [--json]\n"            \
	"       auxbpf {report | export FORMAT} [OPTIONS] [CAPTURE]\n"

static const char usual_begin[] =
	SYNOPSIS "Traces, with the processor's trace unit, what targets do inside their windows.\n"
		 "auxbpf report shows the result, and perf script, perf report read it.\n"
		 "\n";

static const char usual_end[] =
	"      --help all           all options; see also auxbpf(8), auxbpf-rules(7)\n"
	"\n"
	"Example: auxbpf --on-syscall uname -- uname -a; auxbpf report --last 1\n";

static const char all_begin[] =
	SYNOPSIS "Traces, with the processor's trace unit, what targets do inside their windows, and\n"
		 "nothing else. auxbpf report shows the result; perf script, perf report and perf inject\n"
		 "read it. Without a trace unit, -e keeps the last samples of regular events.\n"
		 "\n";

static const char all_end[] =
	"\n"
	"The exit status is the command's; 1 if something went wrong, 2 for a wrong command\n"
	"line, 126 and 127 if the command cannot be executed or is not found.\n"
	"Example: auxbpf --on-syscall uname -- uname -a; auxbpf report --last 1\n";

static const char *const headings[] = {
	[GROUP_WINDOWS] = "Windows (any of them; without one: --on-cpu):\n",
	[GROUP_TARGETS] = ("Targets (a task must match all kinds given, any of one kind):\n"
			   "  COMMAND                   the command, with its children\n"),
	[GROUP_SNAPSHOTS] = "Snapshots (instead of one capture at the end; the trace goes on):\n",
	[GROUP_STREAM] = "Full trace (instead of the newest that fits the buffers):\n",
	[GROUP_OTHERS] = "Options:\n",
};

/* Prints "  -p, --pid PID,..." with @len characters of the argument's name; returns the width. */
static int print_option(FILE *out, const struct option_entry *entry, size_t len)
{
	static const struct {
		const char *before, *behind;
	} marks[] = {
		[ARGUMENT_NONE] = {"", ""},
		[ARGUMENT_REQUIRED] = {" ", ""},
		[ARGUMENT_OPTIONAL] = {"[=", "]"},
		[ARGUMENT_WORD] = {" [", "]"},
	};

	return fprintf(out, "  %s%s %s%s%.*s%s", entry->letter ?: "  ", entry->letter ? "," : " ",
		       entry->name, marks[entry->takes].before, (int)len, entry->argument ?: "",
		       marks[entry->takes].behind);
}

/* Prints lines of text that begin at a column; the first one behind what has @width columns already. */
static void print_text(FILE *out, int width, int column, const char *text)
{
	if (width >= column) {
		fputc('\n', out);
		width = 0;
	}
	for (const char *line = text; line; width = 0) {
		size_t len = strcspn(line, "\n");

		fprintf(out, "%*s%.*s\n", column - width, "", (int)len, line);
		line = line[len] ? line + len + 1 : NULL;
	}
}

void option_help__print_usual(FILE *out)
{
	fputs(usual_begin, out);
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];

		if (entry->usual)
			print_text(out, print_option(out, entry, strcspn(entry->argument ?: "", "|")),
				   USUAL_COLUMN, entry->usual);
	}
	fputs(usual_end, out);
}

void option_help__print_all(FILE *out)
{
	fputs(all_begin, out);
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];

		if (!i || entry->group != option_table[i - 1].group)
			fputs(headings[entry->group], out);
		print_text(out, print_option(out, entry, strlen(entry->argument ?: "")), ALL_COLUMN,
			   entry->help);
	}
	fputs(all_end, out);
}
