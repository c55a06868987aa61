/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A socket on the loopback device whose filter takes as long as each datagram says. The kernel runs the
 * filter in the soft interrupt NET_RX, which comes at the end of the call that sends: in its task. So the
 * handler takes clearly longer than that, and less than the call.
 *
 * A filter may have no loop without a known end, so this one has as many rounds as are needed on a fast
 * machine, and calls itself anew as often as the kernel allows. It does so by a number that only the datagram
 * tells, which is 0: for a constant the kernel would write the call into the program when the map is filled,
 * and who has copied the program's code before could not decode it.
 */
#ifndef TESTS_SLOW_FILTER_H
#define TESTS_SLOW_FILTER_H

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

/* A filter runs once and is called so often (include/linux/bpf.h, MAX_TAIL_CALL_CNT). */
#define SLOW_FILTER_RUNS 33

/* The longest time, in ns. The rounds are enough for that if each look at the clock takes 12 ns. */
#define SLOW_FILTER_MAX 10000000
#define SLOW_FILTER_LOOKS 30
#define SLOW_FILTER_ROUNDS 1000

#define INSN(op, to, from, offset, number)                                                                \
	(struct bpf_insn)                                                                                 \
	{                                                                                                 \
		.code = (op), .dst_reg = (to), .src_reg = (from), .off = (short)(offset), .imm = (number) \
	}

static inline int slow_filter__bpf(int cmd, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	REQUIRE(fd >= 0);
	return fd;
}

/* Writes the program; returns how many instructions it has. */
static inline unsigned int slow_filter__write(struct bpf_insn *insn, int map)
{
	struct bpf_insn *to = insn, *loop;

	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
	*to++ = INSN(BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 8); /* behind the UDP header: ns of each run */
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 7, 0, 0, 0);
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 9, 0, 0, 0);
	*to++ = INSN(BPF_ALU64 | BPF_RSH | BPF_K, 9, 0, 0, 31);
	*to++ = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns);
	*to++ = INSN(BPF_ALU64 | BPF_ADD | BPF_X, 7, 0, 0, 0);
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, 8, 0, 0, SLOW_FILTER_ROUNDS);
	loop = to;
	for (int i = 0; i < SLOW_FILTER_LOOKS; i++)
		*to++ = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns);
	*to++ = INSN(BPF_JMP | BPF_JGE | BPF_X, 0, 7, 2, 0);
	*to++ = INSN(BPF_ALU64 | BPF_SUB | BPF_K, 8, 0, 0, 1);
	*to = INSN(BPF_JMP | BPF_JNE | BPF_K, 8, 0, loop - to - 1, 0);
	to++;
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
	*to++ = INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, map);
	*to++ = INSN(0, 0, 0, 0, 0);
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 9, 0, 0);
	*to++ = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call);
	*to++ = INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0); /* the datagram is dropped */
	*to++ = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return (unsigned int)(to - insn);
}

static inline int slow_filter__load(void)
{
	union bpf_attr map_attr = {
		.map_type = BPF_MAP_TYPE_PROG_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
	int map = slow_filter__bpf(BPF_MAP_CREATE, &map_attr);
	struct bpf_insn insns[64];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = slow_filter__write(insns, map),
		.license = (uintptr_t) "GPL",
	};
	int prog = slow_filter__bpf(BPF_PROG_LOAD, &attr), key = 0;
	union bpf_attr update = {.map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&prog};

	slow_filter__bpf(BPF_MAP_UPDATE_ELEM, &update);
	return prog;
}

/* Returns a socket that is connected to one with the filter. They are there until the program ends. */
static inline int slow_filter__connect(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
	    from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int prog = slow_filter__load();
	socklen_t size = sizeof(addr);

	REQUIRE(to >= 0 && from >= 0);
	REQUIRE(!bind(to, (const struct sockaddr *)&addr, size));
	REQUIRE(!getsockname(to, (struct sockaddr *)&addr, &size));
	REQUIRE(!setsockopt(to, SOL_SOCKET, SO_ATTACH_BPF, &prog, sizeof(prog)));
	REQUIRE(!connect(from, (const struct sockaddr *)&addr, size));
	return from;
}

/* Sends a datagram for which the filter takes at least @ns, which is at most SLOW_FILTER_MAX. */
static inline void slow_filter__send(int from, long long ns)
{
	uint32_t each = htonl((uint32_t)(ns / SLOW_FILTER_RUNS + 1));

	REQUIRE(ns <= SLOW_FILTER_MAX);
	REQUIRE(syscall(SYS_sendto, from, &each, sizeof(each), 0, NULL, 0) == sizeof(each));
}

#endif
