// SPDX-License-Identifier: GPL-2.0-only
#include "calls/gate_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "bpf_prog_"
#define TAG_DIGITS 16

/* The build lists the programs in bpf/ and the functions in them here, in strcmp()'s order. */
static const char *const program_names[] = {
#include "program_names.h"
};

/* Begins of names of functions that only lead to programs. */
static const char *const glue[] = {
	"__bpf_trace_",
	"__traceiter_",
	"bpf_trace_run",
	"bpf_trampoline_",
	"trace_",
	"perf_syscall_",
	"perf_trace_",
	"uprobe_",
	"__uprobe_",
	"uretprobe_",
	"handler_chain",
	"handle_swbp",
	"handle_uretprobe_chain",
	"bpf_prog_inc_misses_counter",
};

static int compare(const void *key, const void *entry)
{
	return strcmp(key, *(const char *const *)entry);
}

/* Finds the name of a program in that of its symbol, bpf_prog_TAG_NAME (kernel/bpf/core.c, bpf_get_prog_name()); or NULL. */
static const char *program_of(const char *symbol)
{
	size_t prefix = strlen(PROGRAM);

	if (strncmp(symbol, PROGRAM, prefix))
		return NULL;
	for (size_t i = 0; i < TAG_DIGITS; i++) {
		if (!isxdigit((unsigned char)symbol[prefix + i]))
			return NULL;
	}
	return symbol[prefix + TAG_DIGITS] == '_' ? symbol + prefix + TAG_DIGITS + 1 : NULL;
}

bool gate_names__is_bpf(const char *name)
{
	return program_of(name);
}

bool gate_names__is_program(const char *name)
{
	const char *program = program_of(name);

	return program && bsearch(program, program_names, sizeof(program_names) / sizeof(*program_names),
				  sizeof(*program_names), compare);
}

bool gate_names__is_glue(const char *name)
{
	if (gate_names__is_bpf(name))
		return true;
	for (size_t i = 0; i < sizeof(glue) / sizeof(*glue); i++) {
		if (!strncmp(name, glue[i], strlen(glue[i])))
			return true;
	}
	return false;
}

bool gate_names__is_switch(const char *name)
{
	return gate_names__is_glue(name) && strstr(name, "sched_switch");
}
