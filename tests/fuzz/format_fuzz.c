// SPDX-License-Identifier: GPL-2.0-only
/* The format of a tracepoint, as tracefs has it, and those of a PMU's terms, as sysfs has them. */
#include "fuzz.h"
#include "rules/tracepoint_format.h"
#include "trace/pmu_terms.h"

static void read_terms(const char *format)
{
	static const uint64_t values[] = {0, 1, 0x5a, UINT64_MAX};
	struct pmu_config config = {{0}};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (!pmu_format__set(format, values[i], &config))
			pmu_format__get(format, &config);
	pmu_format__mask(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *text = fuzz__text(&in);
	_cleanup_free_ char *format = fuzz__text(&in);
	const char *at = text;
	struct trace_field field;

	while (tracepoint_format__next(&at, &field))
		FUZZ_CHECK(*field.name && strlen(field.name) < sizeof(field.name) &&
			   field.kind <= TRACE_FIELD_OTHER);
	FUZZ_CHECK(!*at);
	read_terms(format);
	return 0;
}
