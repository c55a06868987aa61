// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/ld_cache.h"

#include "base/cleanup.h"
#include "check.h"

#define HEAD_LEN 48
#define ENTRY_LEN 24

/* Two libraries; @before bytes of another form in front, as from glibc before 2.32. */
static struct buf make(size_t before)
{
	static const char strings[] = "libc.so.6\0/lib/libc.so.6\0libm.so.6\0/lib/libm.so.6";
	static const uint32_t at[][2] = {{0, 10}, {25, 35}};
	struct buf b = {0};

	buf__add(&b, NULL, before);
	buf__add(&b, "glibc-ld.so.cache1.1", 20);
	buf__add_u32(&b, ARRAY_SIZE(at));
	buf__add_u32(&b, sizeof(strings));
	buf__add(&b, NULL, 20);
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		buf__add_u32(&b, 0x303);
		buf__add_u32(&b, HEAD_LEN + ARRAY_SIZE(at) * ENTRY_LEN + at[i][0]);
		buf__add_u32(&b, HEAD_LEN + ARRAY_SIZE(at) * ENTRY_LEN + at[i][1]);
		buf__add(&b, NULL, 12);
	}
	buf__add(&b, strings, sizeof(strings));
	return b;
}

static void test_whole(size_t before)
{
	_cleanup_buf_ struct buf b = make(before);
	struct ld_cache_entry entry;
	size_t i = 0;

	if (CHECK(ld_cache__next(buf__span(&b), &i, &entry))) {
		CHECK_STREQ(entry.soname, "libc.so.6");
		CHECK_STREQ(entry.path, "/lib/libc.so.6");
	}
	if (CHECK(ld_cache__next(buf__span(&b), &i, &entry))) {
		CHECK_STREQ(entry.soname, "libm.so.6");
		CHECK_STREQ(entry.path, "/lib/libm.so.6");
	}
	CHECK(!ld_cache__next(buf__span(&b), &i, &entry));
}

/* Each copy is of its exact size, so that a sanitizer sees what is read behind it. */
static void test_cut(void)
{
	_cleanup_buf_ struct buf b = make(3);

	for (size_t len = 0; len < b.len; len++) {
		_cleanup_free_ void *copy = len ? memcpy(malloc(len), b.data, len) : NULL;
		struct ld_cache_entry entry;
		size_t i = 0, nr = 0;

		while (ld_cache__next((struct span){copy, len}, &i, &entry))
			nr++;
		CHECK(nr < 2);
	}
}

int main(void)
{
	test_whole(0);
	test_whole(17);
	test_cut();
	return check__done();
}
