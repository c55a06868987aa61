// SPDX-License-Identifier: GPL-2.0-only
/* The count of the trace's bytes: a byte that is in two snapshots, and one more than was written, are found.
 */
#include "oracle_synth.h"
#include "trace_bytes.h"

#define BOTH (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)

/* The unit of a CPU is switched; it has written @written bytes. */
static void unit(struct synth_log *log, unsigned int cpu, uint64_t written)
{
	synth__add(log, cpu, 7, ORACLE_UNIT, 0x10, 0x12, ORACLE_TRACED_TO)->nr = (uint32_t)written;
}

/* 1000 bytes of CPU 0, with the counter's overflow in between, and 50 of CPU 1. */
static void fill(struct synth_log *log)
{
	log->nr_cpus = 2;
	unit(log, 0, UINT32_MAX - 99);
	unit(log, 1, 7);
	synth__add(log, 0, 7, ORACLE_JMP, 0x100, 0x200, BOTH)->nr = 5;
	unit(log, 0, UINT32_MAX - 9);
	unit(log, 0, (uint64_t)UINT32_MAX + 901);
	unit(log, 1, 57);
}

static int check(const char *text, char *report, size_t size)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	struct synth_log *synth = calloc(1, sizeof(*synth));
	char log_path[32], path[32];
	FILE *out;
	int ret = -1;

	if (!synth)
		abort();
	fill(synth);
	synth__write(synth, log_path);
	synth__write_text(text, path);
	out = fmemopen(report, size, "w");
	if (out && !oracle_log__open(log_path, 0, &log))
		ret = trace_bytes__check(log, path, out);
	fclose(out);
	unlink(log_path);
	unlink(path);
	free(synth);
	return ret;
}

static void expect(const char *text, int want, const char *message)
{
	char report[1024] = "";

	CHECK_EQ(check(text, report, sizeof(report)), want);
	if (!CHECK(strstr(report, message)))
		fprintf(stderr, "not in the report: %s\n%s", message, report);
}

int main(void)
{
	expect("0 0 400\n1 0 50\n0 400 500\n0 500 1000\n", 0,
	       "cpu 0: 1000 bytes in snapshots, of 1000 that the unit wrote\ncpu 1: 50 ");
	expect("0 5000 5400\n", 0, "cpu 0: 400 bytes"); /* the counts begin at different moments */
	expect("0 0 400\n0 399 500\n", 1,
	       "line 2: cpu 0: bytes 399 to 500, but a snapshot before has those to 400");
	expect("0 0 400\n1 10 20\n1 19 19\n", 1, "line 3: cpu 1:");
	expect("0 400 399\n", 1, "end before they begin");
	expect("0 0 1001\n", 1, "WRONG: cpu 0: the unit wrote less");
	expect("1 0 51\n", 1, "WRONG: cpu 1: the unit wrote less");
	expect("", 0, "cpu 1: 0 bytes in snapshots, of 50 ");
	expect("2 0 1\n", -22, "");
	expect("0 1\n", -22, "");
	return check__done();
}
