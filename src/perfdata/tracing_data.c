// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/tracing_data.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* In this version the names of tasks (saved_cmdlines) are the last part. */
#define VERSION "0.6"

static void add_string(struct buf *b, const char *s)
{
	buf__add(b, s, strlen(s) + 1);
}

static void add_file(struct buf *b, struct span file)
{
	buf__add_u64(b, file.len);
	buf__add(b, file.data, file.len);
}

static void add_head(struct buf *b)
{
	const uint8_t big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_size = sizeof(long);

	buf__add(b, "\x17\x08\x44tracing", 10);
	add_string(b, VERSION);
	buf__add(b, &big_endian, 1);
	buf__add(b, &long_size, 1);
	buf__add_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
}

static bool is_first_of_category(const struct tracing_event *events, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(events[j].category, events[i].category))
			return false;
	return true;
}

static void add_category(struct buf *b, const struct tracing_event *events, size_t nr, const char *category)
{
	uint32_t members = 0;

	for (size_t i = 0; i < nr; i++)
		members += !strcmp(events[i].category, category);
	add_string(b, category);
	buf__add_u32(b, members);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(events[i].category, category))
			add_file(b, events[i].format);
}

void tracing_data__add(struct buf *b, struct span header_page, struct span header_event,
		       const struct tracing_event *events, size_t nr)
{
	uint32_t categories = 0;

	add_head(b);
	add_string(b, "header_page");
	add_file(b, header_page);
	add_string(b, "header_event");
	add_file(b, header_event);
	buf__add_u32(b, 0); /* number of ftrace's own events */
	for (size_t i = 0; i < nr; i++)
		categories += is_first_of_category(events, i);
	buf__add_u32(b, categories);
	for (size_t i = 0; i < nr; i++)
		if (is_first_of_category(events, i))
			add_category(b, events, nr, events[i].category);
	buf__add_u32(b, 0); /* bytes of kallsyms */
	buf__add_u32(b, 0); /* bytes of printk's formats */
	buf__add_u64(b, 0); /* bytes of names of tasks, which the sideband has */
}
