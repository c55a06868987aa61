/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of conditions: their names, the events at which they are known, and what they are compared with.
 */
#ifndef AUXBPF_RULES_CONDITION_FIELD_H
#define AUXBPF_RULES_CONDITION_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "base/nearest.h"

/* Sets of fields that are known together, as bits numbered by enum auxbpf_field. */
#define CONDITION_FIELD(field) (1u << (field))
#define CONDITION_FIELDS_TASK                                                       \
	(CONDITION_FIELD(AUXBPF_FIELD_PID) | CONDITION_FIELD(AUXBPF_FIELD_TID) |    \
	 CONDITION_FIELD(AUXBPF_FIELD_PPID) | CONDITION_FIELD(AUXBPF_FIELD_UID) |   \
	 CONDITION_FIELD(AUXBPF_FIELD_CPU) | CONDITION_FIELD(AUXBPF_FIELD_CGROUP) | \
	 CONDITION_FIELD(AUXBPF_FIELD_COMM_LOW) | CONDITION_FIELD(AUXBPF_FIELD_COMM_HIGH))
#define CONDITION_FIELDS_ARGS                                                      \
	(CONDITION_FIELD(AUXBPF_FIELD_ARG0) | CONDITION_FIELD(AUXBPF_FIELD_ARG1) | \
	 CONDITION_FIELD(AUXBPF_FIELD_ARG2) | CONDITION_FIELD(AUXBPF_FIELD_ARG3) | \
	 CONDITION_FIELD(AUXBPF_FIELD_ARG4) | CONDITION_FIELD(AUXBPF_FIELD_ARG5))
#define CONDITION_FIELDS_RESULT (CONDITION_FIELD(AUXBPF_FIELD_RET) | CONDITION_FIELD(AUXBPF_FIELD_LATENCY))
#define CONDITION_FIELDS_WAIT (CONDITION_FIELD(AUXBPF_FIELD_OFFCPU) | CONDITION_FIELD(AUXBPF_FIELD_RUNQ))
_Static_assert(AUXBPF_FIELD_NR <= 32, "a bit for each");

/* Resolves names of users (AUXBPF_FIELD_UID) and paths of cgroups (AUXBPF_FIELD_CGROUP). */
struct condition_names {
	/* Finds the id. Returns 0 or a negative errno, -ENOENT if there is no such user or cgroup. */
	int (*resolve)(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret);
	void *arg;
};

enum condition_value_kind {
	CONDITION_NUMBER = 1 << 0,
	CONDITION_SIZE = 1 << 1,
	CONDITION_TIME = 1 << 2,
	CONDITION_FLAG = 1 << 3,
	CONDITION_SIGNAL = 1 << 4,
	CONDITION_ERRNO = 1 << 5,
	CONDITION_ID = 1 << 6, /* of a user or a cgroup, given by its name */
	CONDITION_STRING = 1 << 7,
};

struct condition_field {
	const char *name;
	enum auxbpf_field field;
	unsigned int kinds; /* enum condition_value_kind: kinds of values it is compared with */
	const char *wants;  /* these kinds in words */
	uint64_t max;
	const char *known_at; /* the kinds of triggers that have it; NULL: all, or the trigger of one event */
	bool has_bits;	      /* & can be used with it */
	bool is_raw;	      /* an argument: 64 bits of any meaning, so it can be negative */
	bool is_signed;
	bool is_id; /* can be compared with == and != only */
};

/* Returns the field of that name, or NULL. */
const struct condition_field *condition_field__find(const char *name) _nonnull_(1);

/* Offers the fields in the set @known (CONDITION_FIELD() bits) in place of a wrong name. */
void condition_field__offer(struct nearest *near, const char *wanted, uint32_t known) _nonnull_(1, 2);

/* Writes the names of the fields in the set @known: "pid, tid and cpu". */
void condition_field__list(uint32_t known, char *text, size_t size) _nonnull_(2);

#endif
