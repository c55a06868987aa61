// SPDX-License-Identifier: GPL-2.0-only
/* The section about tracepoints, taken apart as a reader does. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "perfdata/tracing_data.h"

static const uint8_t *next;
static size_t left;

static const uint8_t *take(size_t len)
{
	const uint8_t *at = next;

	if (!CHECK(left >= len))
		exit(check__done());
	next += len;
	left -= len;
	return at;
}

static uint64_t number(size_t len)
{
	uint64_t val = 0;

	memcpy(&val, take(len), len);
	return val;
}

static const char *string(void)
{
	const char *s = (const char *)next;

	CHECK(memchr(s, 0, left));
	take(strlen(s) + 1);
	return s;
}

static void file_is(const char *text)
{
	uint64_t len = number(8);

	CHECK_EQ(len, strlen(text));
	CHECK(!memcmp(take(len), text, strlen(text)));
}

static struct span text(const char *s)
{
	return (struct span){s, strlen(s)};
}

int main(void)
{
	const struct tracing_event events[] = {
		{"sched", text("name: sched_switch\n")},
		{"irq", text("name: softirq_entry\n")},
		{"sched", text("name: sched_waking\n")},
	};
	_cleanup_buf_ struct buf b = {0};

	tracing_data__add(&b, text("page"), text("event"), events, 3);
	next = b.data;
	left = b.len;
	CHECK(!memcmp(take(10), "\x17\x08\x44tracing", 10));
	CHECK_STREQ(string(), "0.6");
	CHECK_EQ(number(1), 0);
	CHECK_EQ(number(1), sizeof(long));
	CHECK_EQ(number(4), sysconf(_SC_PAGESIZE));
	CHECK_STREQ(string(), "header_page");
	file_is("page");
	CHECK_STREQ(string(), "header_event");
	file_is("event");
	CHECK_EQ(number(4), 0);
	CHECK_EQ(number(4), 2);
	CHECK_STREQ(string(), "sched");
	CHECK_EQ(number(4), 2);
	file_is("name: sched_switch\n");
	file_is("name: sched_waking\n");
	CHECK_STREQ(string(), "irq");
	CHECK_EQ(number(4), 1);
	file_is("name: softirq_entry\n");
	CHECK_EQ(number(4), 0);
	CHECK_EQ(number(4), 0);
	CHECK_EQ(number(8), 0);
	CHECK_EQ(left, 0);
	return check__done();
}
