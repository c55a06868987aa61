// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perf.data file with pieces of what the input says, read as perf reads it: each section lies in the file, none in
 * another. Each piece is a byte of its kind, two of its length.
 */
#include "fuzz.h"
#include "perfdata/perfdata.h"
#include "perfdata/record.h"

struct section {
	uint64_t offset, size;
};

/* tools/perf/util/header.h, struct perf_file_header. */
struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

static int store(void *ctx, uint64_t offset, struct span span)
{
	struct buf *file = ctx;

	if (offset + span.len > file->len)
		buf__add(file, NULL, offset + span.len - file->len);
	if (span.len)
		buf__put_at(file, offset, span.data, span.len);
	return buf__error(file);
}

static void read_data(const struct buf *file, const struct section *data)
{
	struct span records = {file->data + data->offset, data->size};
	const struct perf_event_header *record;
	uint64_t len;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		if (record->type != RECORD_AUXTRACE)
			continue;
		memcpy(&len, record + 1, sizeof(len));
		FUZZ_CHECK(len <= records.len - pos);
		pos += len;
	}
	FUZZ_CHECK(pos == records.len);
}

static void read_back(const struct buf *file)
{
	struct header header;
	struct section section;
	uint64_t at, end;

	FUZZ_CHECK(file->len >= sizeof(header));
	memcpy(&header, file->data, sizeof(header));
	FUZZ_CHECK(!memcmp(header.magic, "PERFILE2", 8) &&
		   header.attrs.offset + header.attrs.size <= header.data.offset);
	at = header.data.offset + header.data.size;
	FUZZ_CHECK(at <= file->len);
	end = at + (uint64_t)__builtin_popcountll(header.features[0]) * sizeof(section);
	for (int i = 0; i < 64; i++) {
		if (!(header.features[0] >> i & 1))
			continue;
		memcpy(&section, file->data + at, sizeof(section));
		FUZZ_CHECK(section.offset == end && section.size);
		end += section.size;
		at += sizeof(section);
	}
	FUZZ_CHECK(end == file->len);
	read_data(file, &header.data);
}

static void add_record(struct perfdata *pd, struct span contents)
{
	_cleanup_buf_ struct buf b = {0};
	size_t at = record__begin(&b, PERF_RECORD_COMM, 0);

	buf__add(&b, contents.data, contents.len);
	record__end(&b, at, 0);
	FUZZ_CHECK(!perfdata__add_records(pd, buf__span(&b)));
}

/* Its bytes go behind the record at the offset that it gets. */
static void add_aux(struct perfdata *pd, struct buf *file, struct span contents)
{
	const struct aux_piece aux = {.data = {contents}};
	uint64_t offset;

	FUZZ_CHECK(!perfdata__reserve_aux(pd, &aux, 0, &offset) && !store(file, offset, contents));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t id = 1;
	const struct perf_event_attr attr = {.size = sizeof(attr)};
	const struct feature_event event = {.attr = &attr, .name = "event", .ids = &id, .nr_ids = 1};
	struct fuzz_input in = {data, size};
	_cleanup_buf_ struct buf file = {0};
	struct perfdata *pd;
	uint64_t end;

	if (perfdata__new(&(struct perfdata_sink){store, &file}, &event, 1, &pd))
		abort();
	while (in.len) {
		uint8_t kind = (uint8_t)fuzz__number(&in, 1);
		size_t len = (size_t)fuzz__number(&in, 2) % 4096;
		struct span contents = {in.data, len < in.len ? len : in.len};

		in.data += contents.len;
		in.len -= contents.len;
		if (kind % 3 == 0)
			add_record(pd, contents);
		else if (kind % 3 == 1)
			add_aux(pd, &file, contents);
		else
			FUZZ_CHECK(!perfdata__set_feature(pd, kind & 1 ? FEATURE_HOSTNAME : FEATURE_BUILD_ID,
							  contents));
	}
	FUZZ_CHECK(!perfdata__finish(pd, &end) && end == file.len);
	read_back(&file);
	perfdata__free(pd);
	return 0;
}
