/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of triggers and their fuzzer have instead of a machine: two users, a cgroup, and the
 * formats of a few tracepoints.
 */
#ifndef AUXBPF_TESTS_TRIGGER_SYNTH_H
#define AUXBPF_TESTS_TRIGGER_SYNTH_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/trigger.h"

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct {
	const char *category, *event, *format;
} synth_tracepoints[] = {
	{"block", "block_rq_error",
	 "name: block_rq_error\nID: 1100\nformat:\n" COMMON
	 "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	 "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	 "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
	 "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
	 "\tfield:unsigned short ioprio;\toffset:32;\tsize:2;\tsigned:0;\n"
	 "\tfield:char rwbs[8];\toffset:34;\tsize:8;\tsigned:0;\n"
	 "\tfield:__data_loc char[] cmd;\toffset:44;\tsize:4;\tsigned:0;\n"
	 "\nprint fmt: \"%d,%d\", ((unsigned int) ((REC->dev) >> 20)), REC->error\n"},
	{"sched", "sched_wakeup",
	 "name: sched_wakeup\nID: 318\nformat:\n" COMMON
	 "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	 "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	 "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	 "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"},
	{"syscalls", "sys_enter_odd", "name: sys_enter_odd\nID: 400\nformat:\n" COMMON},
	{"test", "many",
	 "format:\n"
	 "\tfield:s8 f0;\toffset:8;\tsize:1;\tsigned:1;\n"
	 "\tfield:u8 f1;\toffset:9;\tsize:1;\tsigned:0;\n"
	 "\tfield:s16 f2;\toffset:10;\tsize:2;\tsigned:1;\n"
	 "\tfield:bool f3;\toffset:12;\tsize:1;\tsigned:0;\n"
	 "\tfield:s64 f4;\toffset:16;\tsize:8;\tsigned:1;\n"
	 "\tfield:struct rq * f5;\toffset:24;\tsize:8;\tsigned:0;\n"
	 "\tfield:enum state f6;\toffset:32;\tsize:4;\tsigned:0;\n"
	 "\tfield:u32 f7;\toffset:36;\tsize:4;\tsigned:0;\n"
	 "\tfield:u32 f8;\toffset:40;\tsize:4;\tsigned:0;\n"
	 "\tfield:u32 ret;\toffset:44;\tsize:4;\tsigned:0;\n"
	 "\tfield:u64 args[6];\toffset:48;\tsize:48;\tsigned:0;\n"
	 "\tfield:struct key key;\toffset:96;\tsize:16;\tsigned:0;\n"},
};

static int synth_format(void *arg, const char *category, const char *event, struct buf *text)
{
	if (!strcmp(event, "forbidden"))
		return -EACCES;
	if (!strcmp(event, "unmounted"))
		return -ENODEV;
	for (size_t i = 0; i < ARRAY_SIZE(synth_tracepoints); i++) {
		const char *format = synth_tracepoints[i].format;

		if (strcmp(category, synth_tracepoints[i].category) ||
		    strcmp(event, synth_tracepoints[i].event))
			continue;
		buf__add(text, format, strlen(format));
		return 0;
	}
	return -ENOENT;
}

static void synth_offer(void *arg, const char *wanted, struct nearest *near)
{
	char name[NEAREST_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(synth_tracepoints); i++) {
		snprintf(name, sizeof(name), "%s:%s", synth_tracepoints[i].category,
			 synth_tracepoints[i].event);
		nearest__offer(near, wanted, name);
	}
}

static int synth_resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret)
{
	*ret = field == AUXBPF_FIELD_UID ? 33 : 4711;
	return strcmp(name, "www-data") && strcmp(name, "/a#b") ? -ENOENT : 0;
}

static const struct condition_names synth_names = {.resolve = synth_resolve};
static const struct trigger_opts synth_opts = {
	.names = &synth_names,
	.tracepoints = {.format = synth_format, .offer = synth_offer},
};

#undef COMMON
#endif
