// SPDX-License-Identifier: GPL-2.0-only
/*
 * A made-up CPU runs random programs in user and kernel mode, with interrupts; the unit traces it, and
 * libipt's instruction decoder must say exactly the instructions that ran.
 */
#include "pt_unit.h"

#include <intel-pt.h>
#include <stdlib.h>

#include "check.h"
#include "pt_msr.h"

#define AREA_SIZE 4096u
#define FUNCTIONS 16u
#define FUNCTION_SIZE (AREA_SIZE / FUNCTIONS)
#define STACK_DEPTH 100u /* more than the unit's */
#define FRAMES 4u
#define MAX_RUN 200000u

enum { USER64, USER32, KERNEL, NR_AREAS };

static const uint64_t area_base[NR_AREAS] = {0x401000, 0x8048000, 0xffffffff81000000};

static const struct flow_context area_context[NR_AREAS] = {
	[USER64] = {.space = 0x1000, .level = 3, .mode = X86_MODE_64},
	[USER32] = {.space = 0x1000, .level = 3, .mode = X86_MODE_32},
	[KERNEL] = {.space = 0x1000, .level = 0, .mode = X86_MODE_64},
};

struct program {
	uint8_t code[NR_AREAS][AREA_SIZE];
	uint8_t length[NR_AREAS][AREA_SIZE]; /* of the instruction that begins here; 0: none does */
};

static struct program program;

struct cpu {
	struct flow flow;
	struct pt_unit *unit;
	unsigned int area;
	uint64_t ip;
	uint64_t stack[NR_AREAS][STACK_DEPTH];
	unsigned int depth[NR_AREAS];
	struct {
		unsigned int area;
		uint64_t ip;
	} frame[FRAMES];
	unsigned int frames;
	bool at_block; /* the next instruction begins a block */
	uint64_t clock;
};

/* What ran while it was to be traced. */
static uint64_t ran[MAX_RUN];
static size_t nr_ran;

#define TRACE_BASE 0x10000u
#define TRACE_SIZE (4u << 20)
#define TABLE_BASE 0x1000u
static uint8_t trace[TRACE_SIZE];
static size_t trace_end;

static unsigned int pick(unsigned int below)
{
	return (unsigned int)rand() % below;
}

/* ToPA: one region of 4 MiB at TRACE_BASE... and a STOP behind it. */
static int read_memory(void *opaque, uint64_t address, void *to, size_t size)
{
	const uint64_t entries[] = {0x400000 | 10 << TOPA_SIZE_SHIFT | TOPA_STOP};

	if (address != TABLE_BASE || size != sizeof(entries))
		return -1;
	memcpy(to, entries, size);
	return 0;
}

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	address -= 0x400000;
	if (address + size > TRACE_SIZE)
		return -1;
	memcpy(trace + address, from, size);
	trace_end = address + size;
	return 0;
}

static uint64_t read_tsc(void *opaque)
{
	struct cpu *cpu = opaque;

	cpu->clock += pick(1000);
	return cpu->clock;
}

static void no_pmi(void *opaque)
{
}

static struct pt_unit_ops unit_ops = {
	.memory = {.read = read_memory, .write = write_memory}, .tsc = read_tsc, .pmi = no_pmi};

static struct flow_context cpu_context(void *opaque)
{
	const struct cpu *cpu = opaque;

	return area_context[cpu->area];
}

static void cpu_at(void *opaque, uint64_t ip, const struct flow_context *context)
{
	pt_unit__at(((struct cpu *)opaque)->unit, ip, context);
}

static void cpu_transfer(void *opaque, const struct flow_transfer *t)
{
	pt_unit__transfer(((struct cpu *)opaque)->unit, t);
}

static void cpu_cr3(void *opaque, uint64_t ip, const struct flow_context *context,
		    const struct flow_context *old)
{
	pt_unit__cr3(((struct cpu *)opaque)->unit, ip, context);
}

static const struct flow_ops flow_ops = {cpu_context, cpu_at, cpu_transfer, cpu_cr3};

static void put_insn(unsigned int area, unsigned int *offset, const uint8_t *code, size_t length)
{
	memcpy(&program.code[area][*offset], code, length);
	program.length[area][*offset] = (uint8_t)length;
	*offset += (unsigned int)length;
}

/* A forward jump over a few nops, or a direct call of any function. */
static void put_random_insn(unsigned int area, unsigned int *offset)
{
	int32_t rel = (int32_t)(pick(FUNCTIONS) * FUNCTION_SIZE) - (int32_t)(*offset + 5);
	uint8_t call[5] = {0xe8}, jcc[2] = {(uint8_t)(0x70 | pick(16)), 1};
	static const uint8_t nop[] = {0x90}, nop3[] = {0x0f, 0x1f, 0x00}, ind_call[] = {0xff, 0xd0},
			     call_next[] = {0xe8, 0, 0, 0, 0};

	switch (pick(8)) {
	case 0:
		memcpy(call + 1, &rel, 4);
		put_insn(area, offset, call, sizeof(call));
		break;
	case 1:
		put_insn(area, offset, ind_call, sizeof(ind_call));
		break;
	case 2:
		put_insn(area, offset, call_next, sizeof(call_next));
		break;
	case 3:
		put_insn(area, offset, nop3, sizeof(nop3));
		break;
	default:
		put_insn(area, offset, jcc, sizeof(jcc));
		put_insn(area, offset, nop, sizeof(nop));
		break;
	}
}

static void put_last_insn(unsigned int area, unsigned int *offset)
{
	static const uint8_t ret[] = {0xc3}, ind_jmp[] = {0xff, 0xe0}, iret[] = {0x48, 0xcf},
			     syscall_insn[] = {0x0f, 0x05}, int80[] = {0xcd, 0x80};

	switch (pick(5)) {
	case 0:
		if (area == KERNEL)
			put_insn(area, offset, iret, sizeof(iret));
		else if (area == USER64)
			put_insn(area, offset, syscall_insn, sizeof(syscall_insn));
		else
			put_insn(area, offset, int80, sizeof(int80));
		break;
	case 1:
		put_insn(area, offset, ind_jmp, sizeof(ind_jmp));
		return;
	default:
		break;
	}
	put_insn(area, offset, ret, sizeof(ret));
}

static void make_program(void)
{
	memset(&program, 0, sizeof(program));
	for (unsigned int area = 0; area < NR_AREAS; area++) {
		for (unsigned int f = 0; f < FUNCTIONS; f++) {
			unsigned int offset = f * FUNCTION_SIZE, count = 3 + pick(25);

			/*
			 * No call is its own target (see flow.c), and no loop is without a
			 * conditional branch: a trace does not tell how often that ran.
			 */
			put_insn(area, &offset, (const uint8_t *)"\x90", 1);
			put_insn(area, &offset, (const uint8_t *)"\x74\x00", 2);
			while (count--)
				put_random_insn(area, &offset);
			put_last_insn(area, &offset);
		}
	}
}

static uint64_t random_function(unsigned int area)
{
	return area_base[area] + pick(FUNCTIONS) * FUNCTION_SIZE;
}

static void push_frame(struct cpu *cpu, uint64_t return_ip)
{
	if (cpu->frames == FRAMES) /* forget where we came from: iret goes anywhere */
		cpu->frames = 0;
	cpu->frame[cpu->frames].area = cpu->area;
	cpu->frame[cpu->frames++].ip = return_ip;
	cpu->area = KERNEL;
}

static void pop_frame(struct cpu *cpu)
{
	if (cpu->frames) {
		cpu->area = cpu->frame[--cpu->frames].area;
		cpu->ip = cpu->frame[cpu->frames].ip;
	} else {
		cpu->area = pick(NR_AREAS);
		cpu->ip = random_function(cpu->area);
	}
}

static void push_return(struct cpu *cpu, uint64_t ip)
{
	unsigned int *depth = &cpu->depth[cpu->area];

	if (*depth == STACK_DEPTH)
		*depth = 0;
	cpu->stack[cpu->area][(*depth)++] = ip;
}

/* Mostly to the caller, sometimes elsewhere, as longjmp() and retpolines do. */
static uint64_t pop_return(struct cpu *cpu)
{
	if (!cpu->depth[cpu->area] || !pick(20))
		return random_function(cpu->area);
	return cpu->stack[cpu->area][--cpu->depth[cpu->area]];
}

static void event(struct cpu *cpu, uint64_t from, uint64_t return_ip)
{
	struct flow_context before = area_context[cpu->area];

	push_frame(cpu, return_ip);
	cpu->ip = random_function(KERNEL);
	flow__event(&cpu->flow, from, cpu->ip, &before);
}

/* Runs the branch at ip. */
static void branch(struct cpu *cpu, const struct insn *insn)
{
	uint64_t ip = cpu->ip, next = ip + insn->length;

	switch (insn->class) {
	case X86_JCC:
		cpu->ip = pick(2) ? insn__target(insn, ip) : next;
		break;
	case X86_CALL:
		push_return(cpu, next);
		cpu->ip = insn__target(insn, ip);
		break;
	case X86_IND_CALL:
		push_return(cpu, next);
		cpu->ip = random_function(cpu->area);
		break;
	case X86_IND_JMP:
		cpu->ip = random_function(cpu->area);
		break;
	case X86_RET:
		cpu->ip = pop_return(cpu);
		break;
	case X86_SYSCALL:
		push_frame(cpu, next);
		cpu->ip = random_function(KERNEL);
		break;
	case X86_SWINT:
		event(cpu, ip, next);
		break;
	case X86_IRET:
		pop_frame(cpu);
		break;
	case X86_OTHER:
	case X86_JMP:
	case X86_SYSRET:
	case X86_FAR_JMP:
	case X86_FAR_CALL:
	case X86_FAR_RET:
	case X86_CPUID:
	case X86_RDTSC:
	case X86_RDPMC:
	case X86_RDMSR:
	case X86_WRMSR:
	case X86_MOV_TO_CR3:
	case X86_LIDT: /* in no program */
		CHECK(false);
		break;
	}
}

static bool in_filter(uint64_t ctl, uint64_t ip)
{
	/* Functions 0 to 7 of the 64-bit user program. */
	return !(ctl >> RTIT_CTL_ADDR0_SHIFT & 1) ||
	       (ip >= area_base[USER64] && ip < area_base[USER64] + 8 * FUNCTION_SIZE);
}

static void note(const struct cpu *cpu, uint64_t ctl)
{
	uint64_t privilege = area_context[cpu->area].level ? RTIT_CTL_USER : RTIT_CTL_OS;
	struct pt_registers registers;

	pt_unit__registers(cpu->unit, &registers);
	if (pt_unit__triggered(cpu->unit) && !registers.overflow && (ctl & privilege) &&
	    in_filter(ctl, cpu->ip) && nr_ran < MAX_RUN)
		ran[nr_ran++] = cpu->ip;
}

static void step(struct cpu *cpu, uint64_t ctl)
{
	uint64_t offset = cpu->ip - area_base[cpu->area];
	struct insn insn;

	if (!pick(60)) { /* an interrupt, or a fault of this instruction */
		event(cpu, cpu->ip, cpu->ip);
		cpu->at_block = true;
		return;
	}
	insn__classify(&program.code[cpu->area][offset], program.length[cpu->area][offset],
		       area_context[cpu->area].mode, &insn);
	if (cpu->at_block && pt_unit__triggered(cpu->unit))
		flow__block(&cpu->flow, cpu->ip);
	note(cpu, ctl);
	cpu->at_block = insn__is_branch(&insn);
	if (!cpu->at_block) {
		cpu->ip += insn.length;
		return;
	}
	flow__branch(&cpu->flow, &insn, cpu->ip, 0);
	branch(cpu, &insn);
}

static void write_msr(struct cpu *cpu, uint32_t msr, uint64_t value)
{
	CHECK_EQ(pt_unit__write_msr(cpu->unit, msr, value, cpu->ip, &area_context[cpu->area]), 0);
	if (!pt_unit__triggered(cpu->unit))
		flow__lose(&cpu->flow);
	cpu->at_block = true;
}

/* As a WRMSR would, only the kernel can switch the unit. */
static void run_to_kernel(struct cpu *cpu, uint64_t ctl)
{
	while (cpu->area != KERNEL)
		step(cpu, ctl);
	/* The branch that led here retires as the next block begins. */
	if (pt_unit__triggered(cpu->unit) && cpu->at_block)
		flow__block(&cpu->flow, cpu->ip);
}

static void run(uint64_t ctl, unsigned int steps)
{
	struct cpu cpu = {.area = KERNEL, .ip = area_base[KERNEL], .at_block = true};

	cpu.unit = pt_unit__new(&unit_ops, &cpu);
	flow__init(&cpu.flow, &flow_ops, &cpu);
	nr_ran = trace_end = 0;
	write_msr(&cpu, MSR_RTIT_OUTPUT_BASE, TABLE_BASE);
	write_msr(&cpu, MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f);
	write_msr(&cpu, MSR_RTIT_ADDR0_A, area_base[USER64]);
	write_msr(&cpu, MSR_RTIT_ADDR0_A + 1, area_base[USER64] + 8 * FUNCTION_SIZE - 1);
	for (int window = 0; window < 4; window++) { /* paused and resumed */
		write_msr(&cpu, MSR_RTIT_CTL, ctl | RTIT_CTL_TRACEEN);
		for (unsigned int i = 0; i < steps; i++)
			step(&cpu, ctl);
		run_to_kernel(&cpu, ctl);
		write_msr(&cpu, MSR_RTIT_CTL, ctl);
		for (unsigned int i = 0; i < 50; i++)
			step(&cpu, ctl);
		run_to_kernel(&cpu, ctl);
	}
	CHECK_EQ(pt_unit__written(cpu.unit), trace_end);
	pt_unit__free(cpu.unit);
}

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *opaque)
{
	for (unsigned int area = 0; area < NR_AREAS; area++) {
		uint64_t offset = ip - area_base[area];

		if (offset >= AREA_SIZE)
			continue;
		if (size > AREA_SIZE - offset)
			size = AREA_SIZE - offset;
		memcpy(buffer, &program.code[area][offset], size);
		return (int)size;
	}
	return -pte_nomap;
}

static unsigned int nr_overflows;

static int drain_events(struct pt_insn_decoder *decoder, int status)
{
	while (status >= 0 && (status & pts_event_pending)) {
		struct pt_event event;

		status = pt_insn_event(decoder, &event, sizeof(event));
		nr_overflows += event.type == ptev_overflow;
	}
	return status;
}

/* Decodes and compares; returns how many instructions were alike. */
static size_t compare(struct pt_insn_decoder *decoder)
{
	int status = pt_insn_sync_forward(decoder);
	size_t n = 0;

	for (;;) {
		struct pt_insn insn = {.iclass = ptic_error};

		status = drain_events(decoder, status);
		if (status < 0 || (status & pts_eos))
			break;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error && (n >= nr_ran || insn.ip != ran[n]))
			break;
		n += insn.iclass != ptic_error;
		if (status < 0)
			break;
	}
	if (!CHECK(status == -pte_eos || (status >= 0 && (status & pts_eos))))
		fprintf(stderr, "libipt: %s\n",
			status < 0 ? pt_errstr(pt_errcode(status)) : "another instruction");
	return n;
}

static void check_run(uint64_t ctl, unsigned int steps)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;

	run(ctl, steps);
	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + trace_end;
	config.mtc_freq = ctl >> RTIT_CTL_MTCFREQ_SHIFT & 15;
	config.cpuid_0x15_eax = 1;
	config.cpuid_0x15_ebx = PT_TSC_PER_CTC;
	decoder = pt_insn_alloc_decoder(&config);
	CHECK(decoder && !pt_image_set_callback(pt_insn_get_image(decoder), read_code, NULL));
	if (!CHECK_EQ(compare(decoder), nr_ran))
		fprintf(stderr, "that was RTIT_CTL %#llx, %zu bytes\n", (unsigned long long)ctl, trace_end);
	pt_insn_free_decoder(decoder);
}

/* What is lost is said, and nothing else is missing. */
static void check_overflows(void)
{
	CHECK_EQ(nr_overflows, 0);
	unit_ops.overflow_period = 200;
	for (unsigned int seed = 0; seed < 12; seed++) {
		srand(seed);
		make_program();
		for (uint64_t options = 0; options < 2; options++)
			check_run(RTIT_CTL_TOPA | RTIT_CTL_BRANCHEN | RTIT_CTL_OS | RTIT_CTL_USER |
					  (options ? RTIT_CTL_TSCEN | RTIT_CTL_MTCEN : 0),
				  5000);
		check_run(RTIT_CTL_TOPA | RTIT_CTL_BRANCHEN | RTIT_CTL_USER, 5000);
	}
	CHECK(nr_overflows > 300);
	unit_ops.overflow_period = 0;
}

/* A table whose only region is full at once: nothing may be written behind it. */
static void check_stop(void)
{
	uint64_t status, value;
	struct cpu cpu = {.area = KERNEL, .ip = area_base[KERNEL], .at_block = true};

	cpu.unit = pt_unit__new(&unit_ops, &cpu);
	flow__init(&cpu.flow, &flow_ops, &cpu);
	write_msr(&cpu, MSR_RTIT_OUTPUT_BASE, TABLE_BASE);
	write_msr(&cpu, MSR_RTIT_OUTPUT_MASK_PTRS, (uint64_t)(TRACE_SIZE - 1000) << 32);
	write_msr(&cpu, MSR_RTIT_CTL,
		  RTIT_CTL_TRACEEN | RTIT_CTL_TOPA | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_BRANCHEN);
	for (unsigned int i = 0; i < 20000; i++)
		step(&cpu, RTIT_CTL_OS | RTIT_CTL_USER);
	CHECK(!pt_unit__triggered(cpu.unit));
	CHECK_EQ(pt_unit__read_msr(cpu.unit, MSR_RTIT_STATUS, &status), 0);
	CHECK_EQ(status & UINT32_MAX, RTIT_STATUS_STOPPED);
	CHECK_EQ(pt_unit__read_msr(cpu.unit, MSR_RTIT_OUTPUT_MASK_PTRS, &value), 0);
	CHECK_EQ(value, (uint64_t)TRACE_SIZE << 32 | 0x7f);
	CHECK_EQ(pt_unit__written(cpu.unit), 1000);
	CHECK_EQ(pt_unit__read_msr(cpu.unit, 0x1234, &value), -2);
	pt_unit__free(cpu.unit);
}

int main(void)
{
	static const uint64_t privileges[] = {RTIT_CTL_OS, RTIT_CTL_USER, RTIT_CTL_OS | RTIT_CTL_USER};
	static const uint64_t options[] = {
		0,
		RTIT_CTL_DISRETC,
		RTIT_CTL_TSCEN,
		RTIT_CTL_TSCEN | RTIT_CTL_MTCEN | 12ull << RTIT_CTL_MTCFREQ_SHIFT,
		RTIT_CTL_TSCEN | 3ull << RTIT_CTL_PSBFREQ_SHIFT,
	};

	for (unsigned int seed = 0; seed < 12; seed++) {
		srand(seed);
		make_program();
		for (size_t p = 0; p < 3; p++)
			for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++)
				check_run(RTIT_CTL_TOPA | RTIT_CTL_BRANCHEN | privileges[p] | options[o],
					  5000);
		check_run(RTIT_CTL_TOPA | RTIT_CTL_BRANCHEN | RTIT_CTL_USER | 1ull << RTIT_CTL_ADDR0_SHIFT,
			  20000);
	}
	check_overflows();
	make_program();
	check_stop();
	return check__done();
}
