// SPDX-License-Identifier: GPL-2.0-only
/* A list of system calls with conditions. */
#include "fuzz.h"
#include "rules/condition.h"
#include "rules/syscall_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct syscall_set set;
	char message[RULE_MESSAGE_SIZE] = "";
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *text = fuzz__text(&in);

	set = (struct syscall_set){0};
	if (!syscall_set__add(&set, text, NULL, message, sizeof(message)))
		FUZZ_CHECK(set.nr_conditions <= AUXBPF_MAX_CONDITIONS);
	else
		FUZZ_CHECK(*message);
	return 0;
}
