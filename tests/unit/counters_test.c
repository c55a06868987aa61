// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is said at the end of what the programs have counted on each CPU: each counter has its own warning, and 0
 * has none.
 */
#include <string.h>

#include "base/log.h"
#include "check.h"
#include "said.h"
#include "summary/counters.h"

/* In place of the gate's: there are no programs here. */
static struct auxbpf_cpu counted[3];
static uint64_t no_memory;

const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu)
{
	return &counted[cpu];
}

int gate__nr_cpus(const struct gate *gate)
{
	return ARRAY_SIZE(counted);
}

uint64_t gate__no_memory(const struct gate *gate)
{
	return no_memory;
}

void gate__log_losses(const struct gate *gate)
{
}

/* CPU 2 has no event. */
static const struct cpu_trace cpus[] = {{.cpu = 0}, {.cpu = 1}};
static bool listed;

/* What counters__log() says. */
static const char *said(bool verbose)
{
	static char text[8192];
	struct said begun;

	log__set_level(verbose ? LOG_DEBUG : LOG_INFO);
	begun = said__begin();
	counters__log((const struct gate *)&counted, cpus, ARRAY_SIZE(cpus), listed);
	said__end(begun, text, sizeof(text));
	return text;
}

static void test_nothing(void)
{
	memset(counted, 0, sizeof(counted));
	CHECK(!strcmp(said(false), ""));
}

static void test_warnings(void)
{
	static const struct {
		size_t counter;
		const char *text;
	} all[] = {
		{offsetof(struct auxbpf_cpu, missed), "auxbpf: warning: CPU 1: 7 windows were missed: the "
						      "kernel skipped the gate's programs at their begin\n"},
		{offsetof(struct auxbpf_cpu, overrun),
		 "auxbpf: warning: CPU 1: 7 windows were closed late, at the next system call: the kernel "
		 "skipped the gate's programs at their end, or a tracer changed the call's number\n"},
		{offsetof(struct auxbpf_cpu, refused),
		 "auxbpf: warning: CPU 1: the kernel refused 7 of 0 moves of the gate: windows there are "
		 "missing, cut or too "
		 "long; was its buffer full or the CPU offline meanwhile? then record again\n"},
		{offsetof(struct auxbpf_cpu, cut),
		 "auxbpf: warning: CPU 1: 7 windows were cut: their tasks ceased "
		 "to be targets, or ran on a CPU without trace\n"},
		{offsetof(struct auxbpf_cpu, dropped),
		 "auxbpf: warning: CPU 1: 7 messages to auxbpf were lost: the ring buffer was full\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		memset(counted, 0, sizeof(counted));
		*(__u64 *)((char *)&counted[1] + all[i].counter) = 7;
		if (!CHECK(!strcmp(said(false), all[i].text)))
			fprintf(stderr, "said: %s", said(false));
	}
}

/* A window is cut where there is no trace; one that begins there is said unless other CPUs were asked for. */
static void test_untraced_cpu(void)
{
	memset(counted, 0, sizeof(counted));
	counted[2].cut = 1;
	counted[2].windows = 3;
	CHECK(strstr(said(false), "CPU 2: 1 windows were cut"));
	CHECK(strstr(said(false), "CPU 2: 3 windows began there and are not in the trace"));
	listed = true;
	CHECK(strstr(said(false), "CPU 2: 1 windows were cut"));
	CHECK(!strstr(said(false), "began there"));
	listed = false;
}

static void test_no_memory(void)
{
	memset(counted, 0, sizeof(counted));
	no_memory = 5;
	CHECK(strstr(said(false), "warning: 5 times there was no memory to keep"));
	no_memory = 0;
}

/* -v has them all, each with its own name. */
static void test_verbose(void)
{
	memset(counted, 0, sizeof(counted));
	counted[0] = (struct auxbpf_cpu){
		.windows = 1,
		.windows_resumed = 2,
		.missed = 3,
		.overrun = 4,
		.cut = 5,
		.opens = 6,
		.closes = 7,
		.refused = 8,
		.dropped = 9,
	};
	CHECK(strstr(said(true), "CPU 0: windows 1, resumed 2, missed 3, overrun 4, cut 5; gate opened 6, "
				 "closed 7, refused 8; "
				 "messages dropped 9\n"));
	CHECK(strstr(said(true), "CPU 1: windows 0, resumed 0, missed 0, overrun 0, cut 0; gate opened 0, "
				 "closed 0, refused 0; "
				 "messages dropped 0\n"));
}

int main(void)
{
	test_nothing();
	test_warnings();
	test_untraced_cpu();
	test_no_memory();
	test_verbose();
	return check__done();
}
