// SPDX-License-Identifier: GPL-2.0-only
#include "trace/cs_etm/sync.h"

#define ZEROS ETM_ASYNC_ZEROS

/* The headers of packets. Those that differ from others by their length alone have no name. */
enum {
	EXTENSION = 0x00,
	EXTENSION_DISCARD = 0x03,
	EXTENSION_OVERFLOW = 0x05,
	TRACE_INFO = 0x01,
	TIMESTAMP = 0x02,
	TIMESTAMP_WITH_CYCLES = 0x03,
	TRACE_ON = 0x04,
	EXCEPTION = 0x06,
	EXCEPTION_RETURN = 0x07,
	TRANSACTION_START = 0x0a,
	TRANSACTION_COMMIT = 0x0b,
	COMMIT = 0x2d,
	CANCEL = 0x2e,
	CANCEL_MISPREDICT = 0x2f,
	CONTEXT = 0x81,
};

#define MORE 0x80     /* in a byte: another one follows */
#define HAS_VMID 0x40 /* in a byte with context */
#define HAS_CONTEXT 0x80
#define SECTIONS 0x3f /* in the first byte of a trace info packet */

#define IGNORE 0x70

static const uint8_t ignore[] = {IGNORE};
const struct span etm_sync__tail = {ignore, sizeof(ignore)};

struct reader {
	const struct span *data;
	size_t at, end;
};

static uint8_t byte_at(const struct span data[2], size_t at)
{
	const struct span *in = &data[at >= data[0].len];

	return ((const uint8_t *)in->data)[in == data ? at : at - data[0].len];
}

/* Returns the next byte; -1 if there is none. */
static int next_byte(struct reader *r)
{
	return r->at < r->end ? byte_at(r->data, r->at++) : -1;
}

static bool skip(struct reader *r, size_t len)
{
	r->at += len;
	return r->at <= r->end;
}

static bool skip_continued(struct reader *r)
{
	int byte;

	do
		byte = next_byte(r);
	while (byte >= 0 && byte & MORE);
	return byte >= 0;
}

/* Skips a trace info packet, which has a field for each bit of its first byte. */
static bool skip_trace_info(struct reader *r)
{
	int sections = next_byte(r);
	bool ok = sections >= 0 && (!(sections & MORE) || skip_continued(r));

	for (sections &= SECTIONS; ok && sections; sections &= sections - 1)
		ok = skip_continued(r);
	return ok;
}

static bool skip_context(struct reader *r)
{
	int info = next_byte(r);

	return info >= 0 && skip(r, (info & HAS_VMID ? 4 : 0) + (info & HAS_CONTEXT ? 4 : 0));
}

/* Skips one byte or two, of an exception or of a short address. */
static bool skip_one_or_two(struct reader *r)
{
	int byte = next_byte(r);

	return byte >= 0 && (!(byte & MORE) || skip(r, 1));
}

static bool skip_extension(struct reader *r)
{
	int byte = next_byte(r);

	return byte == EXTENSION_DISCARD || byte == EXTENSION_OVERFLOW;
}

/* Skips a packet with an address, 0x82 to 0xb9. */
static bool skip_address(struct reader *r, int header)
{
	switch (header) {
	case 0x82:
	case 0x83:
		return skip(r, 4) && skip_context(r);
	case 0x85:
	case 0x86:
		return skip(r, 8) && skip_context(r);
	case 0x90 ... 0x92:
	case 0xb0 ... 0xb2:
		return true;
	case 0x95:
	case 0x96:
	case 0xb4:
	case 0xb5:
		return skip_one_or_two(r);
	case 0x9a:
	case 0x9b:
	case 0xb6:
	case 0xb7:
		return skip(r, 4);
	case 0x9d:
	case 0x9e:
	case 0xb8:
	case 0xb9:
		return skip(r, 8);
	default:
		return false;
	}
}

/*
 * Skips what is behind the header of a packet that may come in front of a time stamp. False for other
 * packets, such as cycle counts, whose length depends on what the unit has.
 */
static bool skip_packet(struct reader *r, int header)
{
	switch (header) {
	case EXTENSION:
		return skip_extension(r);
	case TRACE_INFO:
		return skip_trace_info(r);
	case EXCEPTION:
		return skip_one_or_two(r);
	case COMMIT:
	case CANCEL:
	case CANCEL_MISPREDICT:
		return skip_continued(r);
	case CONTEXT:
		return skip_context(r);
	case TRACE_ON:
	case EXCEPTION_RETURN:
	case TRANSACTION_START:
	case TRANSACTION_COMMIT:
	case 0x30 ... 0x3f:   /* mispredictions */
	case IGNORE ... 0x80: /* ignore, events, unchanged context */
	case 0x88:	      /* marks the place that the next time stamp is for */
	case 0xc0 ... 0xff:   /* atoms */
		return true;
	default:
		return skip_address(r, header);
	}
}

/* Reads seven bits a byte, and eight of the ninth. In the first time stamp behind an A-Sync missing bits are
 * 0. */
static bool read_time(struct reader *r, uint64_t *ret)
{
	int byte = MORE;

	*ret = 0;
	for (int i = 0; i < 9 && byte & MORE; i++) {
		byte = next_byte(r);
		if (byte < 0)
			return false;
		*ret |= (uint64_t)(i < 8 ? byte & ~MORE : byte) << 7 * i;
	}
	return true;
}

bool etm_sync__time(const struct span data[2], size_t at, uint64_t *ret)
{
	const size_t left = data[0].len + data[1].len - at;
	struct reader r = {data, at, at + (left < ETM_TIME_WITHIN ? left : ETM_TIME_WITHIN)};
	int header;

	do {
		header = next_byte(&r);
		if (header == TIMESTAMP || header == TIMESTAMP_WITH_CYCLES)
			return read_time(&r, ret);
	} while (header >= 0 && skip_packet(&r, header));
	return false;
}

/* Finds the zeros around @pos, not in front of @from, and returns their end. */
static size_t zeros_around(const struct span data[2], size_t pos, size_t from, size_t *begin)
{
	const size_t len = data[0].len + data[1].len;

	*begin = pos;
	while (*begin > from && !byte_at(data, *begin - 1))
		(*begin)--;
	while (pos < len && !byte_at(data, pos))
		pos++;
	return pos;
}

bool etm_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret)
{
	const size_t len = data[0].len + data[1].len;
	size_t pos = *at + ZEROS - 1, begin, end;

	/* So many zeros in a row have one at a multiple of that number from where the search began. */
	for (; pos < len; pos += ZEROS) {
		if (byte_at(data, pos))
			continue;
		end = zeros_around(data, pos, *at, &begin);
		if (end < len && end - begin >= ZEROS && byte_at(data, end) == ETM_ASYNC_END) {
			*ret = (struct aux_sync){.at = end - ZEROS};
			ret->has_time = etm_sync__time(data, end + 1, &ret->time);
			*at = end + 1;
			return true;
		}
		pos = end;
	}
	*at = len;
	return false;
}
