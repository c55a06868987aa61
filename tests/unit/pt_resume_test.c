// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream of packets, cut at every place between two of them: the second piece, with what was made to lead
 * into it, tells a decoder the same as the whole does.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trace/intel_pt/packet.h"
#include "trace/intel_pt/resume.h"
#include "trace/intel_pt/sync.h"

#define NR_PACKETS 400

struct stream {
	struct buf bytes;
	size_t begins[NR_PACKETS + 1]; /* of packets; where those of one PSB end the stream may be cut */
	bool can_cut[NR_PACKETS + 1];
	size_t nr;
};

static void add(struct stream *s, const void *packet, size_t len, bool in_psb)
{
	s->begins[s->nr] = s->bytes.len;
	s->can_cut[s->nr++] = !in_psb;
	buf__add(&s->bytes, packet, len);
}

static void add_psb(struct stream *s, uint8_t time)
{
	const uint8_t tsc[] = {PT_TSC, time, 0, 0, 0, 0, 0, 0}, cbr[] = {0x02, 0x03, time, 0};
	const uint8_t pip[] = {0x02, 0x43, time, 1, 2, 3, 4, 5}, exec[] = {PT_MODE, time & 3};
	uint8_t psb[PT_PSB_SIZE];

	for (size_t i = 0; i < sizeof(psb); i += 2)
		memcpy(psb + i, "\x02\x82", 2);
	add(s, psb, sizeof(psb), false);
	add(s, tsc, sizeof(tsc), true);
	add(s, cbr, sizeof(cbr), true);
	add(s, pip, sizeof(pip), true);
	add(s, exec, sizeof(exec), true);
	add(s, "\x02\x23", 2, true);
}

/* With the instruction pointer told in one of all ways. */
static void add_ip(struct stream *s, unsigned int seed)
{
	static const uint8_t types[] = {0x01, 0x0d, 0x11, 0x1d}, kinds[] = {0, 1, 2, 3, 4, 6};
	static const uint8_t lens[] = {0, 2, 4, 6, 6, 0, 8};
	uint8_t kind = kinds[seed / 4 % ARRAY_SIZE(kinds)];
	uint8_t packet[9] = {types[seed % 4] | kind << 5};

	for (size_t i = 1; i < sizeof(packet); i++)
		packet[i] = (uint8_t)(seed * 37 + i * 101);
	add(s, packet, 1u + lens[kind], false);
}

static void make_stream(struct stream *s, unsigned int seed)
{
	static const uint8_t others[][11] = {
		{0x06},
		{0x00},
		{0x02, 0xa3, 1, 2, 3, 4, 5, 6},
		{PT_MTC, 7},
		{0x03},
		{0x07, 0x03, 0x02},
		{0x02, 0x73, 1, 2, 3, 4, 5},
		{PT_MODE, 0x21},
		{PT_MODE, 0x01},
	};
	static const uint8_t lens[] = {1, 1, 8, 2, 1, 3, 7, 2, 2};

	*s = (struct stream){0};
	srand(seed);
	add_psb(s, 1);
	while (s->nr < NR_PACKETS - 8) {
		unsigned int r = (unsigned int)rand(), other = r / 16 % ARRAY_SIZE(lens);

		if (r % 64 == 0)
			add_psb(s, (uint8_t)(r >> 8 | 1));
		else if (r % 2)
			add_ip(s, r >> 4);
		else
			add(s, others[other], lens[other], false);
	}
	s->begins[s->nr] = s->bytes.len;
	s->can_cut[s->nr] = true;
}

/* All instruction pointers behind the packet at @from, as a decoder that begins at @data reads them. */
static void read_ips(struct span data, size_t from, struct buf *ret)
{
	const uint8_t *bytes = data.data;
	uint64_t last = 0;
	size_t len;

	for (size_t at = 0; at < data.len; at += len) {
		len = pt_packet__len(bytes + at, data.len - at);
		if (!CHECK(len))
			return;
		if (bytes[at] == 0x02 && bytes[at + 1] == 0x82)
			last = 0;
		if (!pt_packet__has_ip(bytes + at))
			continue;
		last = pt_packet__ip(bytes + at, last);
		if (at >= from)
			buf__add_u64(ret, last);
	}
}

static void check_cut(const struct stream *s, size_t at)
{
	_cleanup_buf_ struct buf lead = {0}, whole = {0}, pieces = {0};
	struct aux_resume state = {0}, at_once = {0}, resumed = {0};
	struct span rest = {s->bytes.data + at, s->bytes.len - at};

	pt_resume__follow(&state, (struct span){s->bytes.data, at});
	CHECK(state.known);
	CHECK_EQ(pt_resume__lead_in(&state, 77, &rest, &lead), 0);
	buf__add(&lead, rest.data, rest.len);
	read_ips(buf__span(&s->bytes), at, &whole);
	read_ips(buf__span(&lead), 0, &pieces);
	CHECK_EQ(whole.len, pieces.len);
	CHECK(!whole.len || !memcmp(whole.data, pieces.data, whole.len));
	pt_resume__follow(&at_once, buf__span(&s->bytes));
	pt_resume__follow(&resumed, buf__span(&lead));
	CHECK(resumed.known);
	if (whole.len)
		CHECK_EQ(at_once.last_ip, resumed.last_ip);
}

static void test_every_cut(void)
{
	for (unsigned int seed = 0; seed < 20; seed++) {
		struct stream s;

		make_stream(&s, seed);
		for (size_t i = 6; i <= s.nr; i++)
			if (s.can_cut[i])
				check_cut(&s, s.begins[i]);
		buf__release(&s.bytes);
	}
}

/* What the PSB of our own tells: the time that was given, and the state. */
static void test_lead_in(void)
{
	static const uint8_t before[] = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,
					 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x03, 0x18, 0x00, 0x02, 0x23,
					 0xd1, 1,    2,	   3,	 4,    5,    6,	   7,	 8};
	static const uint8_t behind[] = {0x00, 0x31, 0xaa, 0xbb, 0x06};
	static const uint8_t end[] = {0x02, 0x03, 0x18, 0x00, 0x02, 0x23, 0x00, 0xd1,
				      0xaa, 0xbb, 3,	4,    5,    6,	  7,	8};
	const struct span none = {NULL, 0};
	struct span data = {behind, sizeof(behind)};
	_cleanup_buf_ struct buf lead = {0};
	struct aux_resume state = {0};
	struct aux_sync sync;
	size_t at = 0;

	pt_resume__follow(&state, (struct span){before, sizeof(before)});
	CHECK_EQ(pt_resume__lead_in(&state, 0x1234, &data, &lead), 0);
	CHECK_EQ(data.len, 1);
	CHECK_EQ(lead.len, PT_PSB_SIZE + 8 + sizeof(end));
	CHECK(!memcmp(lead.data + PT_PSB_SIZE + 8, end, sizeof(end)));
	CHECK(pt_sync__next((const struct span[]){buf__span(&lead), none}, &at, &sync));
	CHECK(sync.has_time);
	CHECK_EQ(sync.time, 0x1234);
}

/* Without a PSB nothing is known, and after a packet that nobody knows nothing is any more. */
static void test_unknown(void)
{
	static const uint8_t tip[] = {0x2d, 1, 2}, bad[] = {0x02, 0xff};
	struct aux_resume state = {0};

	pt_resume__follow(&state, (struct span){tip, sizeof(tip)});
	CHECK(!state.known);
	state.known = true;
	pt_resume__follow(&state, (struct span){tip, sizeof(tip)});
	CHECK(state.known);
	CHECK_EQ(state.last_ip, 0x201);
	pt_resume__follow(&state, (struct span){bad, sizeof(bad)});
	CHECK(!state.known);
}

/* Wherever in much data the last PSB is, and across wherever it may be looked for. */
static void test_far_psb(void)
{
	static const size_t behind[] = {0, 100, 65536, 65537, 65544, 65551, 65552, 262144, 262152, 999000};
	const size_t len = 1000000;
	uint8_t *bytes = calloc(len, 1);

	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		struct stream s = {0};
		struct aux_resume state = {0};
		size_t at = len - behind[i] - 30;

		add_psb(&s, (uint8_t)(i + 1));
		memset(bytes, 0, len);
		memcpy(bytes, s.bytes.data, s.bytes.len);
		memcpy(bytes + at, s.bytes.data, 16);
		memcpy(bytes + at + 16, "\x02\x03\x77\x00\x02\x23", 6);
		pt_resume__follow(&state, (struct span){bytes, len});
		CHECK(state.known);
		CHECK_EQ(state.status[0][2], 0x77);
		CHECK_EQ(state.status_len[1], 0);
		buf__release(&s.bytes);
	}
	free(bytes);
}

int main(void)
{
	test_every_cut();
	test_lead_in();
	test_unknown();
	test_far_psb();
	return check__done();
}
