// SPDX-License-Identifier: GPL-2.0-only
#include "files/eh_frame_hdr.h"

#include <errno.h>

#include "check.h"

#define HDR_ADDR 0x402000

/* Three functions, at 0x401000, 0x401020 and, above the section itself, 0x403000. */
static struct buf make(void)
{
	static const uint8_t head[] = {1, 0x1b, 0x03, 0x3b};
	static const uint32_t functions[] = {0x401000, 0x401020, 0x403000};
	struct buf b = {0};

	buf__add(&b, head, sizeof(head));
	buf__add_u32(&b, 0x1234);
	buf__add_u32(&b, ARRAY_SIZE(functions));
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		buf__add_u32(&b, functions[i] - HDR_ADDR);
		buf__add_u32(&b, 0x100);
	}
	return b;
}

static void test_find(void)
{
	_cleanup_buf_ struct buf b = make();
	struct eh_frame_entry entry = {0};

	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x400fff, &entry), -ENOENT);
	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x401000, &entry), 0);
	CHECK_EQ(entry.start, 0x401000);
	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x40101f, &entry), 0);
	CHECK_EQ(entry.start, 0x401000);
	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x402fff, &entry), 0);
	CHECK_EQ(entry.start, 0x401020);
	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, UINT64_MAX, &entry), 0);
	CHECK_EQ(entry.start, 0x403000);
	CHECK_EQ(entry.description, HDR_ADDR + 0x100);
}

/* Every shorter length, and every byte of the head that is not what we read. */
static void test_other_forms(void)
{
	_cleanup_buf_ struct buf b = make();
	struct eh_frame_entry entry;

	for (size_t len = 0; len < b.len; len++)
		CHECK_EQ(eh_frame_hdr__find((struct span){b.data, len}, HDR_ADDR, 0x401000, &entry), -EINVAL);
	for (size_t i = 0; i < 4; i++) {
		b.data[i] ^= 0xff;
		CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x401000, &entry), -EINVAL);
		b.data[i] ^= 0xff;
	}
	memset(b.data + 8, 0xff, 4);
	CHECK_EQ(eh_frame_hdr__find(buf__span(&b), HDR_ADDR, 0x401000, &entry), -EINVAL);
}

static void test_length(void)
{
	/* length 20, common 0x30, start relative to this field, range 0x18 */
	uint8_t head[EH_FRAME_HEAD] = {20, 0, 0, 0, 0x30, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x18, 0, 0, 0};
	const struct eh_frame_entry entry = {.start = 0x401000, .description = 0x402000};
	const struct eh_frame_entry other = {.start = 0x401010, .description = 0x402000};
	uint64_t len = 0;

	CHECK_EQ(eh_frame__length(head, &entry, &len), 0);
	CHECK_EQ(len, 0x18);
	CHECK_EQ(eh_frame__length(head, &other, &len), -EINVAL);
	head[0] = 11;
	CHECK_EQ(eh_frame__length(head, &entry, &len), -EINVAL);
	head[0] = 20;
	head[4] = 0;
	CHECK_EQ(eh_frame__length(head, &entry, &len), -EINVAL);
}

int main(void)
{
	test_length();
	test_find();
	test_other_forms();
	return check__done();
}
