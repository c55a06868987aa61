/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of oracle-check.
 */
#ifndef ORACLE_CHECK_ARGS_H
#define ORACLE_CHECK_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "etm_view.h"
#include "gate_check.h"

#define EXIT_USAGE 2

#define MAX_LIMITS 8
#define MAX_FUNCTIONS 8

struct check_args {
	const char *oracle, *script, *kallsyms, *slack, *names, *bytes, *readable_from;
	const char *range_begin, *range_end; /* names of kernel functions */
	char *const *scripts;		     /* of snapshots */
	unsigned int nr_scripts;
	struct number_list cpus, syscalls, compat, pids, notes;
	const char *limits[MAX_LIMITS];
	unsigned int nr_limits;
	const char *functions[MAX_FUNCTIONS];
	unsigned int nr_functions;
	unsigned int modes;
	uint32_t begin_note, end_note, either_note;
	uint64_t windows, first, count, phase, max_after, missed, off_cpu, back, least, gaps;
	bool has_windows, tail, report, traced, all, on_cpu, etm, later, shared_sink;
	enum etm_pieces pieces;
	char *symbols; /* the words of functions are in it */
};

/* Says what is wrong, and how oracle-check is called, to stderr; false. */
bool check_args__usage_error(const char *what) _nonnull_(1);
void check_args__print_usage(void);

/*
 * Reads the options of a command; --help ends the program. False if they are wrong, of which stderr tells.
 * To be released in any case.
 */
bool check_args__parse(struct check_args *a, int argc, char **argv) _must_check_ _nonnull_(1, 3);
void check_args__release(struct check_args *a) _nonnull_(1);

#endif
