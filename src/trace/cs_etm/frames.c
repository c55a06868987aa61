// SPDX-License-Identifier: GPL-2.0-only
#include "trace/cs_etm/frames.h"

#include <string.h>

#include "trace/cs_etm/sync.h"

#define NR_IDS 128
#define NO_ID 0 /* no source has it */
/* From here on IDs are not of sources. The driver puts 0x7f where bytes are missing. */
#define RESERVED_IDS 0x70
/* The last byte of a frame, which has a bit for each pair of bytes in front of it. */
#define FLAGS (ETM_FRAME - 1)
#define ID_CHANGES 1 /* a bit in the first byte of a pair */

/*
 * So many frames are read again in front of where the search goes on. The bytes of an A-Sync packet that ends
 * there may be far from each other, because of other sources' bytes between them. If 64 sources take turns
 * they are within 64 * 12 bytes.
 */
#define FRAMES_BEFORE 64
/* So many frames behind an A-Sync packet are searched for its time. */
#define FRAMES_BEHIND 1024

/* The first byte changes the ID to that of no source. */
static const uint8_t empty_frame[ETM_FRAME] = {NO_ID << 1 | ID_CHANGES};
const struct span etm_frames__tail = {empty_frame, sizeof(empty_frame)};

struct source {
	unsigned int zeros;
	size_t from; /* offset of the frame from which the first zero can be read */
};

struct reader {
	const struct span *data;
	size_t len;	/* of all whole frames */
	size_t at;	/* of the current frame */
	uint8_t id;	/* of the bytes that come next */
	size_t id_from; /* the frame that told the ID */
};

/* The bytes of sources in a frame. */
struct content {
	struct {
		uint8_t id, byte;
		size_t from; /* the frame that told its ID */
	} bytes[FLAGS];
	unsigned int nr;
};

static struct reader reader_at(const struct span data[2], size_t at)
{
	const size_t len = data[0].len + data[1].len;

	return (struct reader){.data = data, .len = len - len % ETM_FRAME, .at = at - at % ETM_FRAME};
}

/* Copies a frame, which may lie in both spans. */
static void copy_frame(const struct reader *r, uint8_t frame[ETM_FRAME])
{
	const struct span *data = r->data;
	const size_t first = r->at < data[0].len ? data[0].len - r->at : 0;

	if (first >= ETM_FRAME) {
		memcpy(frame, (const uint8_t *)data[0].data + r->at, ETM_FRAME);
		return;
	}
	if (first)
		memcpy(frame, (const uint8_t *)data[0].data + r->at, first);
	memcpy(frame + first, (const uint8_t *)data[1].data + (r->at + first - data[0].len),
	       ETM_FRAME - first);
}

static void add(const struct reader *r, uint8_t byte, struct content *content)
{
	if (r->id == NO_ID || r->id >= RESERVED_IDS)
		return;
	content->bytes[content->nr].id = r->id;
	content->bytes[content->nr].from = r->id_from;
	content->bytes[content->nr++].byte = byte;
}

static void change_id(struct reader *r, uint8_t byte)
{
	r->id = byte >> 1;
	r->id_from = r->at;
}

/*
 * Reads a frame. The flag of a pair is the lowest bit of its first byte; or, if that changes the ID, it tells
 * whether the second byte still has the ID before.
 */
static bool next_frame(struct reader *r, struct content *content)
{
	uint8_t frame[ETM_FRAME];

	content->nr = 0;
	if (r->at >= r->len)
		return false;
	copy_frame(r, frame);
	for (unsigned int i = 0; i < FLAGS; i += 2) {
		const uint8_t flag = frame[FLAGS] >> i / 2 & 1, byte = frame[i];
		const bool changes = byte & ID_CHANGES;

		if (!changes)
			add(r, byte | flag, content);
		else if (!flag)
			change_id(r, byte);
		if (i + 1 < FLAGS)
			add(r, frame[i + 1], content);
		if (changes && flag)
			change_id(r, byte);
	}
	r->at += ETM_FRAME;
	return true;
}

static bool tells_id(const struct reader *r)
{
	uint8_t frame[ETM_FRAME], changes = 0;

	copy_frame(r, frame);
	for (unsigned int i = 0; i < FLAGS; i += 2)
		changes |= frame[i] & ID_CHANGES;
	return changes;
}

/* Returns a reader of frames in front of @at, so far back that the source of all bytes behind is known. */
static struct reader reader_before(const struct span data[2], size_t at)
{
	struct reader r = reader_at(data, at);

	r.at -= r.at < FRAMES_BEFORE * ETM_FRAME ? r.at : FRAMES_BEFORE * ETM_FRAME;
	while (r.at && !tells_id(&r))
		r.at -= ETM_FRAME;
	return r;
}

/* Tells whether @byte ends an A-Sync packet. */
static bool ends_async(struct source *source, uint8_t byte, size_t from)
{
	const bool ends = byte == ETM_ASYNC_END && source->zeros >= ETM_ASYNC_ZEROS;

	if (byte)
		source->zeros = 0;
	else if (!source->zeros++)
		source->from = from;
	return ends;
}

/* Finds the time of the source @id behind the byte @next of @content, which was read last. */
static bool find_time(struct reader r, struct content *content, unsigned int next, uint8_t id, uint64_t *ret)
{
	uint8_t bytes[ETM_TIME_WITHIN];
	size_t nr = 0;

	for (unsigned int frames = 0; frames < FRAMES_BEHIND; frames++, next = 0) {
		for (; next < content->nr && nr < sizeof(bytes); next++)
			if (content->bytes[next].id == id)
				bytes[nr++] = content->bytes[next].byte;
		if (nr == sizeof(bytes) || !next_frame(&r, content))
			break;
	}
	return etm_sync__time((const struct span[2]){{bytes, nr}}, 0, ret);
}

/* *@at is the offset of a frame, plus the number of the byte in its content at which the search goes on. */
bool etm_frames__next(const struct span data[2], size_t *at, struct aux_sync *ret)
{
	struct source sources[NR_IDS] = {0};
	struct reader r = reader_before(data, *at);
	struct content content;

	while (next_frame(&r, &content)) {
		const size_t frame = r.at - ETM_FRAME;

		for (unsigned int i = 0; i < content.nr; i++) {
			const uint8_t id = content.bytes[i].id;
			struct source *source = &sources[id];

			if (!ends_async(source, content.bytes[i].byte, content.bytes[i].from) ||
			    frame + i < *at)
				continue;
			*ret = (struct aux_sync){.at = source->from};
			ret->has_time = find_time(r, &content, i + 1, id, &ret->time);
			*at = frame + i + 1;
			return true;
		}
	}
	*at = data[0].len + data[1].len;
	return false;
}
