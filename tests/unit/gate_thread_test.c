// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that moves gates by ioctl, with events of this process in place of AUX events. What a BPF program
 * does to wake it, one of this test does: it sends the number of a CPU.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "gate/gate_thread.h"

#define NR_CPUS 2

static struct auxbpf_cpu cpus[NR_CPUS];
static int ring, fds[NR_CPUS];

/* bpf_ringbuf_output(ring, &cpu, 4, BPF_RB_FORCE_WAKEUP) */
static void send_move(int cpu)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4, .imm = cpu},
		{.code = BPF_LD | BPF_IMM | BPF_DW,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = ring},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 4},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = BPF_RB_FORCE_WAKEUP},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ringbuf_output},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, opts);
	int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "send_move", "GPL", insns,
				 sizeof(insns) / sizeof(*insns), NULL);

	CHECK(prog >= 0);
	CHECK_EQ(bpf_prog_test_run_opts(prog, &opts), 0);
	close(prog);
}

static int open_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t time_enabled(int fd)
{
	uint64_t values[2] = {0};

	CHECK_EQ(read(fd, values, sizeof(values)), (ssize_t)sizeof(values));
	return values[1];
}

/* The time goes on only while it is enabled. */
static bool is_enabled(int fd)
{
	uint64_t before = time_enabled(fd);

	return time_enabled(fd) != before;
}

/* After at most 5 s. */
static bool becomes(int fd, bool enabled)
{
	const struct timespec wait = {.tv_nsec = 10000000};

	for (int i = 0; i < 500 && is_enabled(fd) != enabled; i++)
		nanosleep(&wait, NULL);
	return is_enabled(fd) == enabled;
}

static void want(int cpu, bool open)
{
	__atomic_store_n(&cpus[cpu].want_open, open, __ATOMIC_RELAXED);
}

static void test_moves(void)
{
	want(0, true);
	send_move(0);
	CHECK(becomes(fds[0], true));
	want(0, false);
	send_move(0);
	CHECK(becomes(fds[0], false));
}

/* The second event tells that the message to the first one has been read. */
static void test_held(struct gate_thread *t)
{
	gate_thread__hold(t, 0);
	want(0, true);
	send_move(0);
	want(1, true);
	send_move(1);
	CHECK(becomes(fds[1], true));
	CHECK(!is_enabled(fds[0]));
	gate_thread__let_go(t, 0);
	CHECK(is_enabled(fds[0]));
}

/* Whose window is open all the while gets no message. */
static void test_stopped_in_window(struct gate_thread *t)
{
	CHECK(is_enabled(fds[0]));
	gate_thread__hold(t, 0);
	CHECK(!ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0));
	CHECK(!is_enabled(fds[0]));
	gate_thread__let_go(t, 0);
	CHECK(is_enabled(fds[0]));
	want(0, false);
	send_move(0);
	CHECK(becomes(fds[0], false));
}

int main(void)
{
	struct gate_thread *t = NULL;

	ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "moves", 0, 0, (__u32)sysconf(_SC_PAGESIZE), NULL);
	if (!CHECK(ring >= 0) || !CHECK_EQ(gate_thread__new(ring, cpus, NR_CPUS, &t), 0))
		return check__done();
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		fds[cpu] = open_event();
		CHECK(fds[cpu] >= 0);
		gate_thread__add_cpu(t, cpu, fds[cpu]);
	}
	test_moves();
	test_held(t);
	test_stopped_in_window(t);
	gate_thread__free(t);
	return check__done();
}
