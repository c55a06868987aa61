/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the fields of a tracepoint's record from events/CATEGORY/EVENT/format of tracefs
 * (kernel/trace/trace_events.c, f_show()):
 *
 *	field:int error;	offset:16;	size:4;	signed:1;
 */
#ifndef AUXBPF_RULES_TRACEPOINT_FORMAT_H
#define AUXBPF_RULES_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define TRACE_FIELD_NAME_MAX 64

enum trace_field_kind {
	TRACE_FIELD_NUMBER, /* an integer, an enum, a flag, a pointer: 1, 2, 4 or 8 bytes */
	TRACE_FIELD_TEXT,   /* characters, inside the field or elsewhere in the record */
	TRACE_FIELD_OTHER,  /* an array, a structure */
};

struct trace_field {
	char name[TRACE_FIELD_NAME_MAX];
	enum trace_field_kind kind;
	uint16_t offset, size; /* place in the record, in bytes */
	bool is_signed;
};

/*
 * Reads the next field from *@text on, and moves *@text behind it. Returns false if there is none. It passes
 * over lines that list no field, and over the fields that all tracepoints have (common_pid), which BPF
 * programs cannot read.
 */
bool tracepoint_format__next(const char **text, struct trace_field *ret) _must_check_ _nonnull_(1, 2);

#endif
