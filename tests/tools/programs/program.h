/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test programs share: a table of cases, and how a case ends that did not do what it claims.
 *
 * The programs keep off the vdso (no clock_gettime(), time(), getcpu() of libc): its code is in no file that
 * a decoder could read.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

/* NOTE marks for the gate check (tests/tools/oracle/gate_target.h). */
#define NOTE_TARGET 100	       /* this task's windows count: --target-note */
#define NOTE_TARGET_BEGIN 101  /* so they do from its next switch on: --begin-note */
#define NOTE_TARGET_END 102    /* they do not from its next switch on: --end-note */
#define NOTE_TARGET_EITHER 103 /* until one of the two they may or not: --either-note */

/* For the check of snapshots (tests/tools/oracle/snapshot_check.h), by trigger_cases. */
#define NOTE_TRIGGER 110 /* right before a trigger: --end-note; 111: before what is none */

struct program_case {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the case's name; returns the exit status */
};

#define REQUIRE(cond)                                                                                   \
	do {                                                                                            \
		if (!(cond)) {                                                                          \
			fprintf(stderr, "%s:%d: not true: %s (errno: %s)\n", __FILE__, __LINE__, #cond, \
				strerror(errno));                                                       \
			exit(EXIT_FAILURE);                                                             \
		}                                                                                       \
	} while (0)

/* The numeric argument @i, or @def if there are not so many. */
static inline long program__arg(int argc, char **argv, int i, long def)
{
	return i < argc ? strtol(argv[i], NULL, 0) : def;
}

/* Runs the case that argv[1] names; 2 and the names if it names none. @cases ends with an empty one. */
static inline int program__main(const struct program_case *cases, int argc, char **argv)
{
	for (const struct program_case *c = cases; argc > 1 && c->name; c++)
		if (!strcmp(argv[1], c->name))
			return c->run(argc - 1, argv + 1);
	fprintf(stderr, "Usage: %s CASE [ARGUMENT...]\nCases:", argv[0]);
	for (const struct program_case *c = cases; c->name; c++)
		fprintf(stderr, " %s", c->name);
	fputc('\n', stderr);
	return 2;
}

#endif
