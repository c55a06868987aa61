// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/perfdata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_MAX (256 * 1024)

struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[256 / 64];
};

struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

struct perfdata {
	struct perfdata_sink sink;
	const struct feature_event *events;
	uint32_t nr_events;
	uint64_t data_offset;
	uint64_t pos; /* where the next byte goes in the file, after those in @pending */
	struct buf pending;
	struct buf index; /* offset and size of each AUXTRACE record */
	struct buf features[FEATURE_MAX];
};

int perfdata__new(const struct perfdata_sink *sink, const struct feature_event *events, uint32_t nr_events,
		  struct perfdata **ret)
{
	struct perfdata *pd = calloc(1, sizeof(*pd));
	uint32_t i;

	if (!pd)
		return -ENOMEM;
	pd->sink = *sink;
	pd->events = events;
	pd->nr_events = nr_events;
	pd->data_offset = sizeof(struct file_header) + nr_events * sizeof(struct file_attr);
	for (i = 0; i < nr_events; i++)
		pd->data_offset += events[i].nr_ids * sizeof(*events->ids);
	pd->pos = pd->data_offset;
	*ret = pd;
	return 0;
}

void perfdata__free(struct perfdata *pd)
{
	int i;

	if (!pd)
		return;
	for (i = 0; i < FEATURE_MAX; i++)
		buf__release(&pd->features[i]);
	buf__release(&pd->index);
	buf__release(&pd->pending);
	free(pd);
}

static int perfdata__flush(struct perfdata *pd)
{
	int err = buf__error(&pd->pending);

	if (!err && pd->pending.len)
		err = pd->sink.write(pd->sink.ctx, pd->pos - pd->pending.len, buf__span(&pd->pending));
	buf__truncate(&pd->pending, 0);
	return err;
}

static int perfdata__append(struct perfdata *pd, struct span span)
{
	int err = 0;

	if (span.len >= PENDING_MAX) {
		err = perfdata__flush(pd);
		if (!err)
			err = pd->sink.write(pd->sink.ctx, pd->pos, span);
		pd->pos += span.len;
		return err;
	}
	buf__add(&pd->pending, span.data, span.len);
	pd->pos += span.len;
	return pd->pending.len >= PENDING_MAX ? perfdata__flush(pd) : buf__error(&pd->pending);
}

int perfdata__add_records(struct perfdata *pd, struct span records)
{
	return perfdata__append(pd, records);
}

int perfdata__reserve_aux(struct perfdata *pd, const struct aux_piece *piece, size_t tail, uint64_t *offset)
{
	_cleanup_buf_ struct buf record = {0};
	int err;

	aux_piece__add_record(piece, tail, &record);
	buf__add_u64(&pd->index, pd->pos);
	buf__add_u64(&pd->index, record.len);
	err = buf__error(&record);
	if (!err)
		err = perfdata__append(pd, buf__span(&record));
	if (!err)
		err = perfdata__flush(pd);
	*offset = pd->pos;
	pd->pos += aux_piece__room(piece, tail);
	return err;
}

int perfdata__set_feature(struct perfdata *pd, enum feature feature, struct span payload)
{
	struct buf *b = &pd->features[feature];

	buf__truncate(b, 0);
	buf__add(b, payload.data, payload.len);
	return buf__error(b);
}

/* Adds the sections that the writer itself makes, and returns the error of any section. */
static int perfdata__own_features(struct perfdata *pd)
{
	struct buf *aux = &pd->features[FEATURE_AUXTRACE];
	uint32_t i, groups = 0;

	for (i = 0; i < pd->nr_events; i++)
		groups += pd->events[i].nr_members > 0;
	feature__add_event_desc(&pd->features[FEATURE_EVENT_DESC], pd->events, pd->nr_events);
	if (groups)
		feature__add_group_desc(&pd->features[FEATURE_GROUP_DESC], pd->events, pd->nr_events);
	if (pd->index.len) {
		buf__add_u64(aux, pd->index.len / sizeof(struct file_section));
		buf__add_buf(aux, &pd->index);
	}
	for (i = 0; i < FEATURE_MAX; i++)
		if (pd->features[i].err)
			return pd->features[i].err;
	return 0;
}

/* Writes the table of sections, then their payloads in the order of the bits. */
static int perfdata__write_features(struct perfdata *pd, uint64_t *bits)
{
	struct file_section sections[FEATURE_MAX];
	uint64_t offset;
	int nr = 0, i, err;

	for (i = 0; i < FEATURE_MAX; i++)
		nr += pd->features[i].len > 0;
	offset = pd->pos + (uint64_t)nr * sizeof(*sections);
	nr = 0;
	for (i = 0; i < FEATURE_MAX; i++) {
		if (!pd->features[i].len)
			continue;
		*bits |= 1ULL << i;
		sections[nr++] = (struct file_section){offset, pd->features[i].len};
		offset += pd->features[i].len;
	}
	err = perfdata__append(pd, (struct span){sections, (size_t)nr * sizeof(*sections)});
	for (i = 0; !err && i < FEATURE_MAX; i++)
		err = perfdata__append(pd, buf__span(&pd->features[i]));
	return err;
}

static int perfdata__write_head(struct perfdata *pd, const struct file_section *data, uint64_t features)
{
	_cleanup_buf_ struct buf head = {0};
	struct file_header header = {
		.magic = "PERFILE2",
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = {pd->data_offset - pd->nr_events * sizeof(struct file_attr),
			  pd->nr_events * sizeof(struct file_attr)},
		.data = *data,
		.features = {features},
	};
	uint64_t ids_offset = sizeof(header);
	uint32_t i;
	int err;

	buf__add(&head, &header, sizeof(header));
	for (i = 0; i < pd->nr_events; i++)
		buf__add(&head, pd->events[i].ids, pd->events[i].nr_ids * sizeof(*pd->events->ids));
	for (i = 0; i < pd->nr_events; i++) {
		const struct file_attr attr = {
			.attr = feature__file_attr(pd->events[i].attr),
			.ids = {ids_offset, pd->events[i].nr_ids * sizeof(*pd->events->ids)},
		};

		buf__add(&head, &attr, sizeof(attr));
		ids_offset += attr.ids.size;
	}
	err = buf__error(&head);
	return err ? err : pd->sink.write(pd->sink.ctx, 0, buf__span(&head));
}

int perfdata__finish(struct perfdata *pd, uint64_t *size)
{
	struct file_section data = {pd->data_offset, pd->pos - pd->data_offset};
	uint64_t features = 0;
	int err;

	err = perfdata__own_features(pd);
	if (!err)
		err = perfdata__write_features(pd, &features);
	if (!err)
		err = perfdata__flush(pd);
	if (!err)
		err = perfdata__write_head(pd, &data, features);
	*size = pd->pos;
	return err;
}
