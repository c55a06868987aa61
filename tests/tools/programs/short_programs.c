// SPDX-License-Identifier: GPL-2.0-only
/* short_programs COUNT: loads so many BPF programs, one after the other, each gone before the next one comes. */
#include <linux/bpf.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

/* return 0 */
static const struct bpf_insn insns[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
	{.code = BPF_JMP | BPF_EXIT},
};

int main(int argc, char **argv)
{
	long count = program__arg(argc, argv, 1, 1000);
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(insns[0]),
		.license = (uintptr_t) "GPL",
		.prog_name = "short_program",
	};

	for (long i = 0; i < count; i++) {
		int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

		REQUIRE(fd >= 0);
		close(fd);
	}
	return EXIT_SUCCESS;
}
