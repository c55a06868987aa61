/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the gate check finds: violations, the slack's figures and the summary.
 */
#ifndef ORACLE_GATE_REPORT_H
#define ORACLE_GATE_REPORT_H

#include "gate_check.h"
#include "gate_tasks.h"

/* Violations that are printed in full; all are counted. */
#define MAX_PRINTED 30

struct gate_report {
	const struct oracle_log *log;
	const struct gate_check_opts *opts;
	uint64_t violations;
	uint64_t windows;
	uint64_t unfinished; /* windows whose end is not in the log: the task died in it, or the log ended */
	uint64_t branches;   /* of windows, without interrupts */
	uint64_t traced;     /* of these */
	uint64_t detours;    /* interrupts of windows, and what the gate itself calls */
	uint64_t detour_branches;
	uint64_t switches;
	uint64_t alternations; /* of these between a target and a task that is none */
	uint64_t foreign;      /* traced branches outside windows, without the slack */
	uint64_t slack_max[SLACK_LIMITED];
	uint64_t *by_symbol[SLACK_LIMITED]; /* with opts.slack_report */
};

int gate_report__init(struct gate_report *r, const struct oracle_log *log,
		      const struct gate_check_opts *opts) _must_check_ _nonnull_(1, 2, 3);
void gate_report__release(struct gate_report *r) _nonnull_(1);

/* Counts and prints a violation at @rec. */
void gate_report__violation(struct gate_report *r, const struct oracle_record *rec, const char *fmt, ...)
	_nonnull_(1, 2) _printf_format_(3, 4);

/* Prints, below a violation that is a stretch, in which functions its branches are. */
void gate_report__functions(const struct gate_report *r, const struct record_list *s) _nonnull_(1, 2);

/* Judges a stretch as slack of one kind: where it was and how long. An empty one is right. */
void gate_report__slack(struct gate_report *r, enum slack_kind kind, const struct record_list *s)
	_nonnull_(1, 3);

/* Judges the different branches @s of a call of the gate's own functions, which ended with @rec. */
void gate_report__own(struct gate_report *r, const struct oracle_record *rec, const struct record_list *s)
	_nonnull_(1, 2, 3);

/* Judges the branch with which such a call begins. */
void gate_report__called(struct gate_report *r, const struct oracle_record *rec) _nonnull_(1, 2);

/* A switch from @prev, NULL if that is not known, to @next. */
void gate_report__count_switch(struct gate_report *r, const struct gate_task *prev,
			       const struct gate_task *next) _nonnull_(1, 3);

/* Prints the summary; returns 0 if there was no violation, else 1. */
int gate_report__finish(struct gate_report *r) _nonnull_(1);

#endif
