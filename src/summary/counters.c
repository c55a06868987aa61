// SPDX-License-Identifier: GPL-2.0-only
#include "summary/counters.h"

#include <string.h>

#include "base/log.h"

void counters__describe(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, char *text,
			size_t size)
{
	unsigned long long windows = 0;
	char list[128] = "";

	for (size_t i = 0; i < nr; i++) {
		const struct auxbpf_cpu *c = gate__cpu(gate, cpus[i].cpu);
		size_t len = strlen(list);

		windows += c->windows;
		if (c->opens)
			snprintf(list + len, sizeof(list) - len, "%s%d", len ? "," : "", cpus[i].cpu);
	}
	if (!*list)
		snprintf(text, size, "no window");
	else if (windows)
		snprintf(text, size, "%llu window%s on CPU %s", windows, log__plural(windows), list);
	else
		snprintf(text, size, "targets ran on CPU %s", list);
}

/* Says what went wrong, without -v too. */
static void log_losses(int cpu, const struct auxbpf_cpu *c)
{
	if (c->missed)
		log_warn("CPU %d: %llu windows were missed: the kernel skipped the gate's programs at "
			 "their begin",
			 cpu, (unsigned long long)c->missed);
	if (c->overrun)
		log_warn("CPU %d: %llu windows were closed late, at the next system call: the kernel skipped "
			 "the gate's programs at their end, or a tracer changed the call's number",
			 cpu, (unsigned long long)c->overrun);
	if (c->refused)
		log_warn("CPU %d: the kernel refused %llu of %llu moves of the gate: windows there "
			 "are missing, cut or too long; was its buffer full or the CPU offline meanwhile? "
			 "then record again",
			 cpu, (unsigned long long)c->refused, (unsigned long long)(c->opens + c->closes));
	if (c->cut)
		log_warn("CPU %d: %llu windows were cut: their tasks ceased to be targets, or ran on a CPU "
			 "without trace",
			 cpu, (unsigned long long)c->cut);
	if (c->dropped)
		log_warn("CPU %d: %llu messages to auxbpf were lost: the ring buffer was full", cpu,
			 (unsigned long long)c->dropped);
}

static void log_counters(int cpu, const struct auxbpf_cpu *c)
{
	log_debug(
		"CPU %d: windows %llu, resumed %llu, missed %llu, overrun %llu, cut %llu; gate opened %llu, "
		"closed %llu, refused %llu; messages dropped %llu",
		cpu, (unsigned long long)c->windows, (unsigned long long)c->windows_resumed,
		(unsigned long long)c->missed, (unsigned long long)c->overrun, (unsigned long long)c->cut,
		(unsigned long long)c->opens, (unsigned long long)c->closes, (unsigned long long)c->refused,
		(unsigned long long)c->dropped);
}

static bool is_traced(const struct cpu_trace *cpus, size_t nr, int cpu)
{
	for (size_t i = 0; i < nr; i++)
		if (cpus[i].cpu == cpu)
			return true;
	return false;
}

/* Sums up all CPUs, because it does not matter where a task is when there is no memory for it. */
static void log_no_memory(uint64_t nr)
{
	if (nr)
		log_warn("%llu times there was no memory to keep what auxbpf must know of a task: windows "
			 "and triggers of those tasks are missing; allow auxbpf's cgroup more memory "
			 "(MemoryMax= of its service)",
			 (unsigned long long)nr);
}

/* The programs count on every CPU, traced or not. */
void counters__log(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, bool listed)
{
	gate__log_losses(gate);
	log_no_memory(gate__no_memory(gate));
	for (int cpu = 0; cpu < gate__nr_cpus(gate); cpu++) {
		const struct auxbpf_cpu *c = gate__cpu(gate, cpu);
		bool traced = is_traced(cpus, nr, cpu);

		log_losses(cpu, c);
		if (traced || c->windows)
			log_counters(cpu, c);
		if (!traced && !listed && c->windows)
			log_warn("CPU %d: %llu window%s began there and %s not in the trace: the CPU came "
				 "online after the start; record again",
				 cpu, (unsigned long long)c->windows, log__plural(c->windows),
				 c->windows == 1 ? "is" : "are");
	}
}
