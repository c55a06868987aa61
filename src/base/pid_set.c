// SPDX-License-Identifier: GPL-2.0-only
#include "base/pid_set.h"

/* PID_MAX_LIMIT of 64-bit kernels (include/linux/threads.h). */
#define PIDS_MAX (4u << 20)

int pid_set__add(struct pid_set *set, uint32_t pid)
{
	size_t at = pid / 8;

	if (pid >= PIDS_MAX)
		return 0;
	if (at >= set->bits.len)
		buf__add(&set->bits, NULL, at + 1 - set->bits.len);
	if (!buf__error(&set->bits))
		set->bits.data[at] |= (uint8_t)(1 << pid % 8);
	return buf__error(&set->bits);
}

bool pid_set__has(const struct pid_set *set, uint32_t pid)
{
	return pid / 8 < set->bits.len && set->bits.data[pid / 8] & 1 << pid % 8;
}

void pid_set__release(struct pid_set *set)
{
	buf__release(&set->bits);
}
