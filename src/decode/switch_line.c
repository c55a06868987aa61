// SPDX-License-Identifier: GPL-2.0-only
#include "decode/switch_line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_DIGITS 9

/* Reads "[CPU] SECONDS.NS". The name of a task in front of it may have a '[', too. */
static int read_place(const char *line, const char *end, struct task_switch *s)
{
	const char *open = memrchr(line, '[', (size_t)(end - line));
	uint64_t seconds, ns;
	int dot = 0, len = 0;

	if (!open)
		return -EINVAL;
	sscanf(open, "[%" SCNd32 "] %" SCNu64 ".%n%" SCNu64 "%n", &s->cpu, &seconds, &dot, &ns, &len);
	if (!len || open + len != end || len - dot != NS_DIGITS || s->cpu < 0)
		return -EINVAL;
	s->time = seconds * 1000000000 + ns;
	return 0;
}

/* Reads the number of the task, the last word in front of the CPU. */
static int read_tid(const char *line, const char *end, struct task_switch *s)
{
	const char *tid = memrchr(line, '[', (size_t)(end - line));

	while (tid > line && tid[-1] == ' ')
		tid--;
	while (tid > line && isdigit((unsigned char)tid[-1]))
		tid--;
	if (tid == line || tid[-1] != ' ' || sscanf(tid, "%" SCNd32, &s->tid) != 1)
		return -EINVAL;
	return s->tid < 0 ? -EINVAL : 0;
}

/* Reads "_CPU_WIDE OUT ..." or " IN ...". */
static int read_way(const char *text, struct task_switch *s)
{
	static const char cpu_wide[] = "_CPU_WIDE";

	if (!strncmp(text, cpu_wide, strlen(cpu_wide)))
		text += strlen(cpu_wide);
	s->is_out = !strncmp(text, " OUT", 4);
	return s->is_out || !strncmp(text, " IN", 3) ? 0 : -EINVAL;
}

int switch_line__read(const char *line, struct task_switch *ret)
{
	/* No name of a task is as long. */
	static const char record[] = ": PERF_RECORD_SWITCH";
	const char *end = strstr(line, record);
	int err = end ? read_way(end + strlen(record), ret) : -EINVAL;

	if (!err)
		err = read_place(line, end, ret);
	return err ? err : read_tid(line, end, ret);
}
