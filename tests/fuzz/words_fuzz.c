// SPDX-License-Identifier: GPL-2.0-only
/* What a user writes in options and who names things for the user: numbers, lists, patterns, functions. */
#include "base/parse.h"
#include "fuzz.h"
#include "rules/condition.h"
#include "rules/function_name.h"
#include "rules/glob.h"
#include "trace/generic_event.h"

static void read_numbers(const char *text)
{
	int cpus[8], n, pid;
	uint64_t number;

	(void)!parse__u64(text, &number);
	if (!parse__pid(text, &pid))
		FUZZ_CHECK(pid > 0);
	(void)!parse__size(text, &number);
	(void)!parse__time(text, &number);
	n = parse__cpu_list(text, cpus, 8);
	for (int i = 0; i < n && i < 8; i++)
		FUZZ_CHECK(cpus[i] >= 0);
}

static void read_words(const char *text)
{
	char message[RULE_MESSAGE_SIZE];
	struct auxbpf_glob glob = {0};
	struct function_name spec;
	struct generic_event event;

	(void)!glob__compile(&glob, text, message, sizeof(message));
	(void)!generic_event__find(text, &event);
	if (!function_name__parse(text, &spec, message, sizeof(message)))
		FUZZ_CHECK(!spec.binary || *spec.binary);
	function_name__release(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *text = fuzz__text(&in);

	read_numbers(text);
	read_words(text);
	return 0;
}
