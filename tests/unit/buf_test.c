// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <malloc.h>

#include "base/buf.h"
#include "check.h"

/* What is there stays, and memory is given back only if it is most of it. */
static void test_shrink(void)
{
	static const char text[] = "what is there";
	_cleanup_buf_ struct buf b = {0};

	buf__shrink(&b);
	CHECK(!b.data);
	buf__add(&b, text, sizeof(text));
	buf__add(&b, NULL, 1 << 20);
	buf__shrink(&b);
	CHECK_EQ(b.len, sizeof(text) + (1 << 20));
	CHECK_EQ(b.cap, 2 << 20);
	buf__truncate(&b, sizeof(text));
	buf__shrink(&b);
	CHECK(b.cap < 4096);
	CHECK(malloc_usable_size(b.data) >= b.cap && malloc_usable_size(b.data) < 8192);
	CHECK_STREQ((const char *)b.data, text);
	buf__add(&b, NULL, 5000);
	CHECK_EQ(buf__error(&b), 0);
	CHECK_EQ(b.len, sizeof(text) + 5000);
}

static void test_error(void)
{
	_cleanup_buf_ struct buf b = {0};

	buf__add_u64(&b, 1);
	buf__fail(&b, -E2BIG);
	buf__fail(&b, -EIO);
	buf__add_u64(&b, 2);
	buf__shrink(&b);
	CHECK_EQ(buf__error(&b), -E2BIG);
	CHECK_EQ(b.len, 8);
}

int main(void)
{
	test_shrink();
	test_error();
	return check__done();
}
