// SPDX-License-Identifier: GPL-2.0-only
#include "trace/intel_pt/resume.h"

#include <endian.h>
#include <string.h>

#include "trace/intel_pt/packet.h"
#include "trace/intel_pt/sync.h"

/* The kinds of packets in aux_resume.status. */
enum status {
	STATUS_CBR,
	STATUS_PIP,
	STATUS_TSX,
	STATUS_EXEC,
};

static const uint8_t psb[PT_PSB_SIZE] = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
					 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};

/* The last PSB is looked for in so many bytes first: several times the default distance of two PSBs. */
#define FIRST_TAIL 65536

static bool is_extended(const uint8_t *data, uint8_t second)
{
	return data[0] == PT_EXTENDED && data[1] == second;
}

static void note(struct aux_resume *state, enum status which, const uint8_t *data, size_t len)
{
	memcpy(state->status[which], data, len);
	state->status_len[which] = (uint8_t)len;
}

static void follow_packet(struct aux_resume *state, const uint8_t *data, size_t len)
{
	if (pt_packet__has_ip(data))
		state->last_ip = pt_packet__ip(data, state->last_ip);
	else if (is_extended(data, PT_EXT_PSB))
		state->last_ip = 0;
	else if (is_extended(data, PT_EXT_CBR))
		note(state, STATUS_CBR, data, len);
	else if (is_extended(data, PT_EXT_PIP))
		note(state, STATUS_PIP, data, len);
	else if (data[0] == PT_MODE)
		note(state, data[1] >> 5 ? STATUS_TSX : STATUS_EXEC, data, len);
}

static bool find_last_psb_behind(struct span data, size_t from, size_t *ret)
{
	const struct span spans[2] = {data, {NULL, 0}};
	struct aux_sync sync;
	bool found = false;

	while (pt_sync__next(spans, &from, &sync)) {
		*ret = sync.at;
		found = true;
	}
	return found;
}

/* Finds the last PSB, from which on the state is known. It is near the end of much data. */
static bool find_last_psb(struct span data, size_t *ret)
{
	size_t tail = FIRST_TAIL;

	while (tail < data.len) {
		if (find_last_psb_behind(data, data.len - tail, ret))
			return true;
		tail *= 4;
	}
	return find_last_psb_behind(data, 0, ret);
}

void pt_resume__follow(struct aux_resume *state, struct span data)
{
	const uint8_t *bytes = data.data;
	size_t at = 0, len;

	if (find_last_psb(data, &at))
		state->known = true;
	for (; state->known && at < data.len; at += len) {
		len = pt_packet__len(bytes + at, data.len - at);
		state->known = len;
		if (len)
			follow_packet(state, bytes + at, len);
	}
}

static void add_tsc(struct buf *out, uint64_t time)
{
	uint64_t packet = htole64(time << 8 | PT_TSC);

	buf__add(out, &packet, sizeof(packet));
}

static void add_psb(const struct aux_resume *state, uint64_t time, struct buf *out)
{
	static const uint8_t end[] = {PT_EXTENDED, PT_EXT_PSBEND};

	buf__add(out, psb, sizeof(psb));
	add_tsc(out, time);
	for (size_t i = 0; i < ARRAY_SIZE(state->status); i++)
		buf__add(out, state->status[i], state->status_len[i]);
	buf__add(out, end, sizeof(end));
}

/* Adds the packet with its full instruction pointer. */
static void add_full_ip(const uint8_t *packet, uint64_t last_ip, struct buf *out)
{
	const uint8_t first = (packet[0] & 0x1f) | 6 << 5;
	const uint64_t ip = htole64(pt_packet__ip(packet, last_ip));

	buf__add(out, &first, 1);
	buf__add(out, &ip, sizeof(ip));
}

int pt_resume__lead_in(const struct aux_resume *state, uint64_t time, struct span *data, struct buf *out)
{
	const uint8_t *bytes = data->data;
	size_t at = 0, len;

	add_psb(state, time, out);
	while ((len = pt_packet__len(bytes + at, data->len - at)) && !is_extended(bytes + at, PT_EXT_PSB)) {
		at += len;
		if (!pt_packet__has_ip(bytes + at - len)) {
			buf__add(out, bytes + at - len, len);
			continue;
		}
		add_full_ip(bytes + at - len, state->last_ip, out);
		break;
	}
	*data = (struct span){bytes + at, data->len - at};
	return buf__error(out);
}
