// SPDX-License-Identifier: GPL-2.0-only
#include "rules/condition_field.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RAW (CONDITION_NUMBER | CONDITION_SIZE | CONDITION_FLAG | CONDITION_SIGNAL)
#define RAW_WORDS "a number, a size like 4k or a name like O_CREAT"
#define RET_WORDS "a number, an error like -ENOENT, a size like 4k or a name like O_RDWR"
#define UID_WORDS "a number or a user's name"
#define CGROUP_WORDS "the path or the id of a cgroup"
#define TIME_WORDS "a time like 10ms"
#define SIG_WORDS "a signal like SIGTERM or a number"
#define CALLS "syscall and function"

#define ARG(n)                                                                                      \
	{                                                                                           \
		"arg" #n, AUXBPF_FIELD_ARG##n, RAW, RAW_WORDS, UINT64_MAX, CALLS, .has_bits = true, \
										  .is_raw = true    \
	}

static const struct condition_field fields[] = {
	ARG(0),
	ARG(1),
	ARG(2),
	ARG(3),
	ARG(4),
	ARG(5),
	{"ret", AUXBPF_FIELD_RET, RAW | CONDITION_ERRNO, RET_WORDS, INT64_MAX, CALLS, .has_bits = true,
	 .is_signed = true},
	{"latency", AUXBPF_FIELD_LATENCY, CONDITION_TIME, TIME_WORDS, UINT64_MAX,
	 "syscall, function, softirq and irq"},
	{"sig", AUXBPF_FIELD_SIG, CONDITION_NUMBER | CONDITION_SIGNAL, SIG_WORDS, 64, "signal and exit"},
	{"code", AUXBPF_FIELD_CODE, CONDITION_NUMBER, "a number", 255, "exit"},
	{"offcpu", AUXBPF_FIELD_OFFCPU, CONDITION_TIME, TIME_WORDS, UINT64_MAX, "offcpu and runq"},
	{"runq", AUXBPF_FIELD_RUNQ, CONDITION_TIME, TIME_WORDS, UINT64_MAX, "offcpu and runq"},
	{"pid", AUXBPF_FIELD_PID, CONDITION_NUMBER, "a number", INT_MAX},
	{"tid", AUXBPF_FIELD_TID, CONDITION_NUMBER, "a number", INT_MAX},
	{"ppid", AUXBPF_FIELD_PPID, CONDITION_NUMBER, "a number", INT_MAX},
	{"uid", AUXBPF_FIELD_UID, CONDITION_NUMBER | CONDITION_ID, UID_WORDS, UINT32_MAX},
	{"comm", AUXBPF_FIELD_COMM_LOW, CONDITION_STRING, "the name of a task", UINT64_MAX, .is_id = true},
	{"cgroup", AUXBPF_FIELD_CGROUP, CONDITION_NUMBER | CONDITION_ID, CGROUP_WORDS, UINT64_MAX,
	 .is_id = true},
	{"cpu", AUXBPF_FIELD_CPU, CONDITION_NUMBER, "a number", INT_MAX},
};

const struct condition_field *condition_field__find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcmp(name, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

void condition_field__offer(struct nearest *near, const char *wanted, uint32_t known)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (known & CONDITION_FIELD(fields[i].field))
			nearest__offer(near, wanted, fields[i].name);
	}
}

void condition_field__list(uint32_t known, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	/* The list has "arg0 to arg5" and "comm" for these. */
	known &= ~((CONDITION_FIELDS_ARGS & ~CONDITION_FIELD(AUXBPF_FIELD_ARG0)) |
		   CONDITION_FIELD(AUXBPF_FIELD_COMM_HIGH));
	for (size_t i = 0; i < ARRAY_SIZE(fields) && len < size; i++) {
		if (!(known & CONDITION_FIELD(fields[i].field)))
			continue;
		known &= ~CONDITION_FIELD(fields[i].field);
		if (len)
			len += (size_t)snprintf(text + len, size - len, known ? ", " : " and ");
		if (len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s", fields[i].name,
						fields[i].field == AUXBPF_FIELD_ARG0 ? " to arg5" : "");
	}
}
