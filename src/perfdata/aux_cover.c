// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/aux_cover.h"

#include <string.h>

#include "perfdata/record.h"

struct record_aux {
	struct perf_event_header header;
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

/* The trailer of a record, in the kernel's order (PERF_RECORD_ with sample_id_all). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* The flags that tell the format of the trace; the others tell what happened to it. */
#define FORMAT_FLAGS 0xff00

static struct aux_cover_piece *find_piece(struct aux_cover *cover, uint32_t cpu)
{
	for (unsigned int i = 0; i < cover->nr; i++)
		if (cover->pieces[i].cpu == (int)cpu)
			return &cover->pieces[i];
	return NULL;
}

static void add(struct buf *b, const struct record_aux *aux, const struct trailer *trailer)
{
	size_t at = record__begin(b, PERF_RECORD_AUX, aux->header.misc);

	buf__add_u64(b, aux->offset);
	buf__add_u64(b, aux->size);
	buf__add_u64(b, aux->flags);
	buf__add(b, trailer, sizeof(*trailer));
	record__end(b, at, 0);
}

/* Appends a record of our own up to @end. It has no time, like all synthesised records. */
static void add_own(const struct aux_cover *cover, struct aux_cover_piece *piece, uint64_t end, struct buf *b)
{
	const struct record_aux aux = {
		.offset = piece->told,
		.size = end - piece->told,
		.flags = cover->flags & FORMAT_FLAGS,
	};
	const struct trailer trailer = {
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.cpu = (uint32_t)piece->cpu,
		.id = piece->id,
	};

	if (end > piece->told)
		add(b, &aux, &trailer);
	piece->told = end;
}

static uint64_t between(uint64_t min, uint64_t value, uint64_t max)
{
	if (value < min)
		return min;
	return value < max ? value : max;
}

/* With PERF_AUX_FLAG_OVERWRITE a record's offset is that of the end of its data. */
void aux_cover__replace(struct aux_cover *cover, const struct perf_event_header *record, struct buf *b)
{
	struct aux_cover_piece *piece;
	struct trailer trailer;
	struct record_aux aux;
	uint64_t begin, end, trace_end;

	if (cover->whole || record->size < sizeof(aux) + sizeof(trailer))
		return;
	memcpy(&aux, record, sizeof(aux));
	memcpy(&trailer, (const char *)record + record->size - sizeof(trailer), sizeof(trailer));
	piece = find_piece(cover, trailer.cpu);
	if (!piece)
		return;
	end = aux.flags & PERF_AUX_FLAG_OVERWRITE ? aux.offset : aux.offset + aux.size;
	trace_end = piece->end - piece->tail;
	begin = between(piece->told, end - aux.size, trace_end);
	end = between(piece->told, end, trace_end);
	cover->flags = aux.flags;
	if (begin >= end)
		return;
	if (end == trace_end)
		end = piece->end;
	add_own(cover, piece, begin, b);
	aux.offset = begin;
	aux.size = end - begin;
	aux.flags &= ~(uint64_t)PERF_AUX_FLAG_OVERWRITE;
	add(b, &aux, &trailer);
	piece->told = end;
}

void aux_cover__finish(struct aux_cover *cover, struct buf *b)
{
	for (unsigned int i = 0; i < cover->nr; i++)
		add_own(cover, &cover->pieces[i], cover->pieces[i].end, b);
}
