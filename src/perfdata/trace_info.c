// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/trace_info.h"

#include <stddef.h>
#include <string.h>

#include "perfdata/record.h"

static const struct trace_format *const formats[] = {
	&intel_pt_format,
	&cs_etm_format,
};

const struct trace_format *trace_format__find(const char *pmu)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->pmu, pmu))
			return formats[i];
	return NULL;
}

void trace_format__add_record(const struct trace_format *format, struct buf *b,
			      const struct trace_setup *setup, const struct trace_source *source)
{
	size_t at = record__begin(b, RECORD_AUXTRACE_INFO, 0);

	buf__add_u32(b, format->auxtrace_type);
	buf__add_u32(b, 0);
	format->add_info(b, setup, source);
	record__end(b, at, 0);
}
