// SPDX-License-Identifier: GPL-2.0-only
#include "trace/intel_pt/sync.h"

#include <endian.h>
#include <string.h>

#include "trace/intel_pt/packet.h"

/* Any 8 bytes of a PSB, that begin with its 02 or its 82. */
#define WORD_EVEN 0x8202820282028202
#define WORD_ODD 0x0282028202820282

static size_t copy_at(const struct span data[2], size_t at, void *to, size_t len)
{
	size_t all = data[0].len + data[1].len, first = 0;

	if (len > all - at)
		len = all - at;
	if (at < data[0].len) {
		first = len < data[0].len - at ? len : data[0].len - at;
		memcpy(to, (const uint8_t *)data[0].data + at, first);
	}
	if (len > first)
		memcpy((uint8_t *)to + first, (const uint8_t *)data[1].data + at + first - data[0].len,
		       len - first);
	return len;
}

static bool is_pair(const struct span data[2], size_t at)
{
	uint8_t pair[2];

	return copy_at(data, at, pair, sizeof(pair)) == sizeof(pair) && pair[0] == 0x02 && pair[1] == 0x82;
}

/* Tells whether the packet is one of those between PSB and PSBEND. OVF ends them, too. */
static bool is_status(const uint8_t *packet)
{
	if (packet[0] == PT_EXTENDED)
		return packet[1] != PT_EXT_PSBEND && packet[1] != PT_EXT_OVF && packet[1] != PT_EXT_PSB;
	return packet[0] == PT_PAD || (packet[0] & 3) == 3 || (packet[0] & 0x1f) == PT_TSC ||
	       pt_packet__is_fup(packet);
}

/* A packet of a piece of trace; bytes that are not there are 0. */
struct packet {
	uint8_t bytes[PT_PACKET_MAX];
	size_t have;
	size_t len; /* 0 as for pt_packet__len() */
};

static struct packet packet_at(const struct span data[2], size_t at)
{
	struct packet p = {0};

	p.have = copy_at(data, at, p.bytes, sizeof(p.bytes));
	p.len = pt_packet__len(p.bytes, p.have);
	return p;
}

/* Reads the packet at *@at; moves *@at behind it if it is a status packet. */
static bool next_status(const struct span data[2], size_t *at, struct packet *p)
{
	*p = packet_at(data, *at);
	if (!p->len || !is_status(p->bytes))
		return false;
	*at += p->len;
	return true;
}

/* Finds the time among the status packets from @at on. */
static bool find_time(const struct span data[2], size_t at, uint64_t *ret)
{
	struct packet p;

	while (next_status(data, &at, &p)) {
		if (p.bytes[0] == PT_TSC) {
			memcpy(ret, p.bytes, sizeof(*ret));
			*ret = le64toh(*ret) >> 8;
			return true;
		}
	}
	return false;
}

/*
 * Finds the pairs of 02 82 in front of @pair and behind it, and returns their end. Payload in front of a PSB
 * may happen to look like its beginning, so if there are more than 8 pairs the last 8 are the PSB.
 */
static size_t pairs_around(const struct span data[2], size_t pair, size_t from, size_t *begin)
{
	*begin = pair;
	while (*begin >= from + 2 && is_pair(data, *begin - 2))
		*begin -= 2;
	while (is_pair(data, pair))
		pair += 2;
	return pair;
}

static bool is_psb_word(uint64_t word)
{
	return le64toh(word) == WORD_EVEN || le64toh(word) == WORD_ODD;
}

/* Returns the offset of the first 8 bytes from @pos on that may be of a PSB or that lie across the end of a
 * span. */
static size_t skip_words(const struct span data[2], size_t pos)
{
	const struct span *in = &data[pos >= data[0].len];
	size_t begin = in == data ? 0 : data[0].len, at;
	uint64_t word;

	for (at = pos - begin; at + sizeof(word) <= in->len; at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)in->data + at, sizeof(word));
		if (is_psb_word(word))
			break;
	}
	return begin + at;
}

bool pt_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret)
{
	size_t pos = skip_words(data, *at), begin, end;
	uint64_t word;

	/* Wherever a PSB begins, 8 of its bytes are at a multiple of 8 from where the search began. */
	for (; copy_at(data, pos, &word, sizeof(word)) == sizeof(word);
	     pos = skip_words(data, pos + sizeof(word))) {
		if (!is_psb_word(word))
			continue;
		end = pairs_around(data, le64toh(word) == WORD_EVEN ? pos : pos + 1, *at, &begin);
		if (end - begin < PT_PSB_SIZE)
			continue;
		*ret = (struct aux_sync){.at = end - PT_PSB_SIZE};
		ret->has_time = find_time(data, end, &ret->time);
		*at = end;
		return true;
	}
	*at = data[0].len + data[1].len;
	return false;
}

size_t pt_sync__whole(const struct span data[2])
{
	size_t all = data[0].len + data[1].len, from = all, at = 0, len;
	struct aux_sync sync;

	while (pt_sync__next(data, &at, &sync))
		from = sync.at;
	do {
		len = packet_at(data, from).len;
		from += len;
	} while (len);
	/* A rest as long as a packet begins with an unknown packet; then all may be whole. */
	return all - from < PT_PACKET_MAX ? from : all;
}

static size_t add_pge(uint8_t *mark, uint64_t ip)
{
	ip = htole64(ip);
	mark[0] = PT_TIP_PGE_64;
	memcpy(mark + 1, &ip, sizeof(ip));
	return 1 + sizeof(ip);
}

size_t pt_sync__gap(const struct span data[2], uint8_t mark[AUX_MARK_MAX])
{
	static const uint8_t overflow[] = {PT_EXTENDED, PT_EXT_OVF};
	size_t at = PT_PSB_SIZE, len = sizeof(overflow);
	struct packet p;

	memcpy(mark, overflow, sizeof(overflow));
	while (next_status(data, &at, &p))
		if (pt_packet__is_fup(p.bytes) && pt_packet__has_ip(p.bytes))
			len = sizeof(overflow) + add_pge(mark + sizeof(overflow), pt_packet__ip(p.bytes, 0));
	return p.len || p.have == sizeof(p.bytes) ? len : 0;
}
