// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/gone_programs.h"

struct gone_program {
	uint64_t time;
	uint32_t id;
};

void gone_programs__note(struct buf *gone, uint32_t id, uint64_t time)
{
	const struct gone_program program = {time, id};

	buf__add(gone, &program, sizeof(program));
}

void gone_programs__forget(struct buf *gone, struct bpf_programs *programs, uint64_t before)
{
	const struct gone_program *all = (const struct gone_program *)(const void *)gone->data;

	for (size_t i = 0; i < gone->len / sizeof(*all); i++)
		bpf_programs__note_gone(programs, all[i].id, all[i].time);
	bpf_programs__forget(programs, before);
	buf__release(gone);
}
