// SPDX-License-Identifier: GPL-2.0-only
#include "etr.h"

#include <errno.h>

#include "check.h"

#define REGISTERS 0x10000u
#define BUFFER 0x20000u
#define SIZE 0x1000u

static uint8_t memory[0x30000];

static int read_memory(void *opaque, uint64_t address, void *to, size_t size)
{
	if (address + size > sizeof(memory))
		return -EFAULT;
	memcpy(to, memory + address, size);
	return 0;
}

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	if (address + size > sizeof(memory))
		return -EFAULT;
	memcpy(memory + address, from, size);
	return 0;
}

static const struct etr_memory ops = {.read = read_memory, .write = write_memory};

static uint32_t get(unsigned int offset)
{
	uint32_t value;

	memcpy(&value, memory + REGISTERS + offset, sizeof(value));
	return value;
}

static void set(unsigned int offset, uint32_t value)
{
	memcpy(memory + REGISTERS + offset, &value, sizeof(value));
}

static struct etr fresh(void)
{
	struct etr etr = {.memory = &ops, .address = REGISTERS};

	memset(memory, 0, sizeof(memory));
	etr__reset(&etr);
	return etr;
}

/* As the driver switches it on. */
static void enable(void)
{
	set(ETR_RSZ, SIZE / 4);
	set(ETR_DBALO, BUFFER);
	set(ETR_RRP, BUFFER);
	set(ETR_RWP, BUFFER);
	set(ETR_STS, get(ETR_STS) & ~ETR_STS_FULL);
	set(ETR_FFCR, 0x133);
	set(ETR_CTL, ETR_CTL_CAPTURE);
}

/* What a reader of frames does, written from the specification: data of the given source, in order. */
static size_t unpack(const uint8_t *frames, size_t size, uint8_t wanted, uint8_t *to)
{
	uint8_t id = 0, next = 0;
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *frame = frames + i / ETR_FRAME * ETR_FRAME;
		unsigned int at = i % ETR_FRAME;
		uint8_t flag = frame[15] >> at / 2 & 1, value = frame[at];

		if (at == 15)
			continue;
		if (!(at & 1) && value & 1) { /* an ID, at once or behind the next byte */
			next = value >> 1;
			id = flag ? id : next;
			continue;
		}
		if (!(at & 1))
			value |= flag;
		if (id == wanted)
			to[n++] = value;
		id = next;
	}
	return n;
}

static void check_identity(void)
{
	fresh();
	CHECK_EQ(get(0xfe0) | get(0xfe4) << 8 | get(0xfe8) << 16 | get(0xfec) << 24, 0x000bb9e8);
	CHECK_EQ(get(0xff0) | get(0xff4) << 8 | get(0xff8) << 16 | get(0xffc) << 24, 0xb105900d);
	CHECK_EQ(get(ETR_DEVID) >> 6 & 3, 1);
	CHECK_EQ(get(ETR_STS), ETR_STS_READY);
}

static void check_claims(void)
{
	struct etr etr = fresh();

	etr__settle(&etr);
	CHECK_EQ(get(ETR_CLAIMCLR) & 3, 0);
	set(ETR_CLAIMSET, 2);
	etr__settle(&etr);
	CHECK_EQ(get(ETR_CLAIMCLR) & 3, 2);
	CHECK_EQ(get(ETR_CLAIMSET), 0xf);
	etr__settle(&etr);
	CHECK_EQ(get(ETR_CLAIMCLR) & 3, 2);
	set(ETR_CLAIMCLR, 1);
	etr__settle(&etr);
	CHECK_EQ(get(ETR_CLAIMCLR) & 3, 2);
	set(ETR_CLAIMCLR, 2);
	etr__settle(&etr);
	CHECK_EQ(get(ETR_CLAIMCLR) & 3, 0);
}

static void check_frames(void)
{
	static const uint8_t whole[] = {0x21, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
					0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x00};
	static const uint8_t odd[] = {0x21, 0xff, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00};
	static const uint8_t even[] = {0x21, 0xff, 0x01, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02};
	static const uint8_t low_bit[] = {0x21, 0xff, 0xfc, 0xfb, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02};
	static const uint8_t data[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
				       0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f};
	static const uint8_t other[] = {0xff, 0xfd, 0xfb};
	uint8_t frame[ETR_FRAME];

	CHECK_EQ(etr__frame(frame, 0x10, data, 15), 14);
	CHECK(!memcmp(frame, whole, sizeof(frame)));
	CHECK_EQ(etr__frame(frame, 0x10, other, 1), 1);
	CHECK(!memcmp(frame, odd, sizeof(frame)));
	CHECK_EQ(etr__frame(frame, 0x10, other, 2), 2);
	CHECK(!memcmp(frame, even, sizeof(frame)));
	CHECK_EQ(etr__frame(frame, 0x10, other, 3), 3);
	CHECK(!memcmp(frame, low_bit, sizeof(frame)));
}

static void check_two_sources(void)
{
	struct etr etr = fresh();
	uint8_t data[300], back[400];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 1);
	etr__write(&etr, 0x10, data, sizeof(data)); /* it is off */
	CHECK_EQ(get(ETR_RWP), 0);
	enable();
	for (size_t size = 1; size <= 20; size++) {
		unsigned int before = get(ETR_RWP);

		etr__write(&etr, 0x10, data, size);
		etr__write(&etr, 0x12, data + 100, size + 1);
		CHECK_EQ(unpack(memory + before, get(ETR_RWP) - before, 0x10, back), size);
		CHECK(!memcmp(back, data, size));
		CHECK_EQ(unpack(memory + before, get(ETR_RWP) - before, 0x12, back), size + 1);
		CHECK(!memcmp(back, data + 100, size + 1));
	}
	CHECK_EQ(get(ETR_RRP), BUFFER);
	CHECK_EQ(get(ETR_STS), ETR_STS_READY);
}

static void check_wrap(void)
{
	struct etr etr = fresh();
	static uint8_t data[SIZE], back[SIZE];
	size_t n;

	enable();
	etr__write(&etr, 0x10, data, SIZE / 16 * 14 - 14);
	CHECK_EQ(get(ETR_RWP), BUFFER + SIZE - 16);
	CHECK_EQ(get(ETR_STS), ETR_STS_READY);
	memset(data, 0xa5, sizeof(data));
	etr__write(&etr, 0x10, data, 3 * 14);
	CHECK_EQ(get(ETR_RWP), BUFFER + 32);
	CHECK_EQ(get(ETR_RRP), BUFFER + 32);
	CHECK_EQ(get(ETR_STS), ETR_STS_READY | ETR_STS_FULL);
	n = unpack(memory + BUFFER, 32, 0x10, back);
	CHECK_EQ(n, 28);
	CHECK(!memcmp(back, data, n));
	CHECK_EQ(memory[BUFFER + SIZE], 0);
	/* Switched on again, it begins anew. */
	enable();
	etr__write(&etr, 0x10, data, 1);
	CHECK_EQ(get(ETR_RWP), BUFFER + 16);
	CHECK_EQ(get(ETR_STS), ETR_STS_READY);
}

static void check_flush(void)
{
	struct etr etr = fresh();

	enable();
	etr__write(&etr, 0x10, "abc", 3);
	set(ETR_FFCR, 0x133 | ETR_FFCR_STOP_ON_FLUSH);
	set(ETR_FFCR, 0x133 | ETR_FFCR_STOP_ON_FLUSH | ETR_FFCR_FLUSH);
	etr__settle(&etr);
	CHECK_EQ(get(ETR_FFCR), 0x133 | ETR_FFCR_STOP_ON_FLUSH);
	CHECK_EQ(get(ETR_FFSR), ETR_FFSR_STOPPED);
	etr__write(&etr, 0x10, "def", 3);
	CHECK_EQ(get(ETR_RWP), BUFFER + 16);
	enable(); /* without CTL having been 0: as the driver does when its event is paused */
	etr__write(&etr, 0x10, "ghi", 3);
	CHECK_EQ(get(ETR_RWP), BUFFER + 16);
	CHECK_EQ(memory[BUFFER + 1], 'g');
}

static void check_nonsense(void)
{
	struct etr etr = fresh();

	enable();
	set(ETR_RWP, BUFFER + SIZE);
	etr__write(&etr, 0x10, "abc", 3);
	set(ETR_RWP, BUFFER + 8);
	etr__write(&etr, 0x10, "abc", 3);
	CHECK_EQ(memory[BUFFER + SIZE], 0);
	CHECK_EQ(memory[BUFFER + 8], 0);
	set(ETR_DBAHI, 1); /* no memory there */
	set(ETR_RWPHI, 1);
	set(ETR_RWP, BUFFER);
	etr__write(&etr, 0x10, "abc", 3);
	CHECK_EQ(get(ETR_RWP), BUFFER);
}

int main(void)
{
	check_identity();
	check_claims();
	check_frames();
	check_two_sources();
	check_wrap();
	check_flush();
	check_nonsense();
	return check__done();
}
