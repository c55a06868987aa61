// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/trace_info.h"

#include "perfdata/record.h"

void trace_info__add_record(const struct trace_info *info, struct buf *b, const struct trace_setup *setup,
			    const struct trace_source *source)
{
	size_t at = record__begin(b, RECORD_AUXTRACE_INFO, 0);

	buf__add_u32(b, info->auxtrace_type);
	buf__add_u32(b, 0);
	info->add_info(b, setup, source);
	record__end(b, at, 0);
}
