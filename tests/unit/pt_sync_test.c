// SPDX-License-Identifier: GPL-2.0-only
/* PSB and its time among the bytes of Intel PT, whole and cut at every place. */
#include <stdlib.h>

#include "check.h"
#include "trace/intel_pt/packet.h"
#include "trace/intel_pt/sync.h"

#define PSB 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82
#define PSBEND 0x02, 0x23
#define TSC_PACKET 0x19, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77
#define TSC_TIME 0x77665544332211

/* Every kind of status packet in front of the time; several have a 0x19 or a PSBEND in their payload. */
static const uint8_t before_time[] = {
	0x00,								  /* PAD */
	0x02, 0x73, 0x19, 0x02, 0x00, 0x23, 0x19,			  /* TMA */
	0x02, 0x03, 0x19, 0x00,						  /* CBR */
	0x02, 0x43, 0x19, 0x02, 0x23, 0x02, 0x23, 0x19,			  /* PIP */
	0x02, 0xc8, 0x02, 0x23, 0x19, 0x02, 0x23,			  /* VMCS */
	0x02, 0xc3, 0x88, 1,	2,    3,    0x19, 5,	6,    0x02, 0x23, /* MNT */
	0x99, 0x01,							  /* MODE.Exec */
	0x99, 0x20,							  /* MODE.TSX */
	0x59, 0x19,							  /* MTC */
	0x1b,								  /* CYC of one byte */
	0x07, 0x19, 0x18,						  /* CYC of three */
	0x1d,								  /* FUP without address */
	0x3d, 0x19, 0x19,						  /* FUP, 16 bits */
	0x5d, 0x02, 0x23, 0x19, 0x19,					  /* 32 */
	0x7d, 0x02, 0x23, 0x19, 0x19, 0x19, 0x19,			  /* 48, sign extended */
	0x9d, 0x02, 0x23, 0x19, 0x19, 0x19, 0x19,			  /* 48, updated */
	0xdd, 0x02, 0x23, 0x19, 0x19, 0x19, 0x19, 0,	0xff,		  /* 64 */
};

static void add_bytes(struct buf *b, uint8_t byte, size_t nr)
{
	while (nr--)
		buf__add(b, &byte, 1);
}

static void add_psb(struct buf *b)
{
	static const uint8_t psb[] = {PSB};

	buf__add(b, psb, sizeof(psb));
}

static void add_time(struct buf *b, uint64_t time)
{
	uint64_t packet = time << 8 | 0x19;

	buf__add(b, &packet, sizeof(packet));
}

static bool first(struct span one, struct aux_sync *ret)
{
	const struct span data[2] = {one, {0}};
	size_t at = 0;

	return pt_sync__next(data, &at, ret);
}

static void test_status_packets(void)
{
	static const uint8_t tail[] = {TSC_PACKET, PSBEND};
	_cleanup_buf_ struct buf b = {0};
	struct aux_sync sync;

	add_psb(&b);
	buf__add(&b, before_time, sizeof(before_time));
	buf__add(&b, tail, sizeof(tail));
	CHECK(first(buf__span(&b), &sync));
	CHECK_EQ(sync.at, 0);
	CHECK(sync.has_time);
	CHECK_EQ(sync.time, TSC_TIME);
}

/* A time behind the end of the status packets is of something else. */
static void test_time_is_not_searched_for(void)
{
	static const uint8_t ends[][4] = {
		{0x02, 0x23, 0, 0},    /* PSBEND */
		{0x02, 0xf3, 0, 0},    /* OVF */
		{0x0d, 0, 0, 0},       /* TIP */
		{0x06, 0, 0, 0},       /* TNT */
		{0xbd, 0, 0, 0},       /* FUP of a reserved kind */
		{0x02, 0xc3, 0x77, 0}, /* of three bytes, unknown */
	};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		_cleanup_buf_ struct buf b = {0};
		struct aux_sync sync;

		add_psb(&b);
		buf__add(&b, ends[i], sizeof(ends[i]));
		add_time(&b, 5);
		CHECK(first(buf__span(&b), &sync));
		CHECK(!sync.has_time);
	}
}

/* Wherever the PSB is and wherever the seam is, even in the middle of the time. */
static void test_every_place_and_seam(void)
{
	for (size_t lead = 0; lead < 20; lead++) {
		_cleanup_buf_ struct buf b = {0};

		add_bytes(&b, 0x06, lead);
		add_psb(&b);
		add_time(&b, 1000 + lead);
		add_bytes(&b, 0x06, 3);
		for (size_t seam = 0; seam <= b.len; seam++) {
			struct span data[2] = {{b.data, seam}, {b.data + seam, b.len - seam}};
			struct aux_sync sync = {0};
			size_t at = 0;

			CHECK(pt_sync__next(data, &at, &sync));
			CHECK_EQ(sync.at, lead);
			CHECK(sync.has_time);
			CHECK_EQ(sync.time, 1000 + lead);
			CHECK(!pt_sync__next(data, &at, &sync));
			CHECK_EQ(at, b.len);
		}
	}
}

static void test_cut_off(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct aux_sync sync;

	add_psb(&b);
	add_time(&b, 7);
	for (size_t len = 0; len <= b.len; len++) {
		bool found = first((struct span){b.data, len}, &sync);

		CHECK_EQ(found, len >= 16);
		CHECK_EQ(found && sync.has_time, len >= 24);
	}
	/* Without its first byte it is none. */
	CHECK(!first((struct span){b.data + 1, b.len - 1}, &sync));
}

static void test_several(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct span data[2] = {{0}};
	struct aux_sync sync;
	size_t at = 0;

	add_bytes(&b, 0x0d, 5);
	add_psb(&b);
	add_time(&b, 1);
	add_psb(&b); /* follows at once; without a time */
	add_psb(&b);
	add_bytes(&b, 0x0d, 100);
	add_psb(&b);
	add_time(&b, (uint64_t)1 << 56 | 3);
	data[0] = buf__span(&b);
	CHECK(pt_sync__next(data, &at, &sync));
	CHECK_EQ(sync.at, 5);
	/* Of two without anything between them the second counts: 02 82 in front of a PSB may be payload. */
	CHECK(pt_sync__next(data, &at, &sync));
	CHECK_EQ(sync.at, 5 + 24 + 16);
	CHECK(!sync.has_time);
	CHECK(pt_sync__next(data, &at, &sync));
	CHECK_EQ(sync.at, 5 + 24 + 32 + 100);
	CHECK_EQ(sync.time, 3); /* the packet holds no more than 56 bits */
	CHECK(!pt_sync__next(data, &at, &sync));
}

/* A PTWRITE of such a payload, then a PSB: the search meets the payload first. */
static void test_payload_like_a_psb(void)
{
	static const uint8_t ptwrite[] = {0x02, 0x32, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
	_cleanup_buf_ struct buf b = {0};
	struct aux_sync sync;

	buf__add(&b, ptwrite, sizeof(ptwrite));
	CHECK(!first(buf__span(&b), &sync));
	add_psb(&b);
	add_time(&b, 9);
	CHECK(first(buf__span(&b), &sync));
	CHECK_EQ(sync.at, sizeof(ptwrite));
	CHECK(sync.has_time);
}

static void test_nothing(void)
{
	_cleanup_free_ uint8_t *zeros = calloc(1, 4096);
	struct aux_sync sync;

	CHECK(!first((struct span){0}, &sync));
	CHECK(zeros && !first((struct span){zeros, 4096}, &sync));
}

static void test_later(void)
{
	const uint64_t tsc = (uint64_t)0x1fffffffffffff0; /* 57 bits, about to carry */

	CHECK(aux_time__later(2, 1));
	CHECK(!aux_time__later(1, 2));
	CHECK(!aux_time__later(5, 5));
	/* A packet's 56 bits beside the whole counter. */
	CHECK(aux_time__later(((uint64_t)1 << 56) - 8, tsc));
	CHECK(aux_time__later(3, tsc)); /* carried meanwhile */
	CHECK(!aux_time__later(tsc, 3));
	CHECK(!aux_time__later(((uint64_t)1 << 56) - 32, tsc));
}

/* A piece that is cut off inside its last packet, wherever its two spans meet. */
static void test_whole(void)
{
	static const uint8_t tail[] = {TSC_PACKET, PSBEND, 0x06, 0x7d, 1, 2, 3, 4, 5, 6};
	_cleanup_buf_ struct buf b = {0};

	add_bytes(&b, 0x06, 5);
	add_psb(&b);
	buf__add(&b, tail, sizeof(tail));
	for (size_t seam = 0; seam <= b.len; seam++) {
		const struct span data[2] = {{b.data, seam}, {b.data + seam, b.len - seam}};

		CHECK_EQ(pt_sync__whole(data), b.len);
	}
	for (size_t cut = 1; cut < 7; cut++) {
		const struct span data[2] = {{b.data, b.len - cut}, {NULL, 0}};

		CHECK_EQ(pt_sync__whole(data), b.len - 7);
	}
	/* Where packets begin is not known without a PSB. */
	CHECK_EQ(pt_sync__whole((struct span[2]){{b.data + b.len - 7, 5}, {NULL, 0}}), 5);
	CHECK_EQ(pt_sync__whole((struct span[2]){{NULL, 0}, {NULL, 0}}), 0);
}

/* An unknown packet says nothing of what is behind it. */
static void test_whole_of_unknown(void)
{
	_cleanup_buf_ struct buf b = {0};

	add_psb(&b);
	add_bytes(&b, 0x35, 1); /* no packet begins so */
	add_bytes(&b, 0x06, 40);
	CHECK_EQ(pt_sync__whole((struct span[2]){buf__span(&b), {NULL, 0}}), b.len);
}

/* Wherever the spans meet, and cut off at every place. */
static void check_gap(struct span trace, struct span mark)
{
	uint8_t bytes[AUX_MARK_MAX];

	for (size_t seam = 0; seam <= trace.len; seam++) {
		const struct span data[2] = {{trace.data, seam},
					     {(const uint8_t *)trace.data + seam, trace.len - seam}};

		CHECK_EQ(pt_sync__gap(data, bytes), mark.len);
		CHECK(!memcmp(bytes, mark.data, mark.len));
	}
	for (size_t len = PT_PSB_SIZE; len < trace.len; len++)
		CHECK_EQ(pt_sync__gap((struct span[2]){{trace.data, len}, {NULL, 0}}, bytes), 0);
}

/* Trace that is on in the PSB is on for who begins there: that is what the processor tells behind an overflow. */
static void test_gap(void)
{
	static const uint8_t on[] = {PSB,  TSC_PACKET, 0x99, 0x01, 0x7d, 0x44,
				     0x33, 0x22,       0x11, 0x00, 0x80, PSBEND};
	static const uint8_t on_low[] = {PSB, TSC_PACKET, 0x3d, 0x44, 0x33, PSBEND};
	static const uint8_t off[] = {PSB, TSC_PACKET, 0x99, 0x01, PSBEND};
	static const uint8_t lost[] = {PSB, TSC_PACKET, 0x02, 0xf3};
	static const uint8_t no_ip[] = {PSB, 0x1d, PSBEND};
	static const uint8_t pge[] = {0x02, 0xf3, 0xd1, 0x44, 0x33, 0x22, 0x11, 0x00, 0x80, 0xff, 0xff};
	static const uint8_t pge_low[] = {0x02, 0xf3, 0xd1, 0x44, 0x33, 0, 0, 0, 0, 0, 0};
	const struct span ovf = {pge, 2};

	check_gap((struct span){on, sizeof(on)}, (struct span){pge, sizeof(pge)});
	check_gap((struct span){on_low, sizeof(on_low)}, (struct span){pge_low, sizeof(pge_low)});
	check_gap((struct span){off, sizeof(off)}, ovf);
	check_gap((struct span){lost, sizeof(lost)}, ovf);
	check_gap((struct span){no_ip, sizeof(no_ip)}, ovf);
}

/* What is behind an unknown packet is not known, and will not be. */
static void test_gap_of_unknown(void)
{
	_cleanup_buf_ struct buf b = {0};
	uint8_t mark[AUX_MARK_MAX];

	add_psb(&b);
	add_bytes(&b, 0x35, 1);
	add_bytes(&b, 0x06, 40);
	CHECK_EQ(pt_sync__gap((struct span[2]){buf__span(&b), {NULL, 0}}, mark), 2);
}

int main(void)
{
	test_gap();
	test_gap_of_unknown();
	test_whole();
	test_whole_of_unknown();
	test_status_packets();
	test_time_is_not_searched_for();
	test_every_place_and_seam();
	test_cut_off();
	test_several();
	test_payload_like_a_psb();
	test_nothing();
	test_later();
	return check__done();
}
