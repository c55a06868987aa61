// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/bpf_types.h"

#include <errno.h>
#include <string.h>

struct entry {
	uint32_t id;
	uint32_t size; /* of the data that follow */
};

/* Gets the entry at @pos and moves @pos behind it; false at the end. */
static bool next(const struct bpf_types *types, size_t *pos, struct entry *ret)
{
	if (*pos == types->entries.len)
		return false;
	memcpy(ret, types->entries.data + *pos, sizeof(*ret));
	*pos += sizeof(*ret) + ret->size;
	return true;
}

static bool has(const struct bpf_types *types, uint32_t id)
{
	struct entry entry;
	size_t pos = 0;

	while (next(types, &pos, &entry))
		if (entry.id == id)
			return true;
	return false;
}

void bpf_types__add(struct bpf_types *types, uint32_t id, const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	if (has(types, id))
		return;
	if (!data) {
		buf__fail(&types->entries, -ENOMEM);
		return;
	}
	buf__add_u32(&types->entries, id);
	buf__add_u32(&types->entries, size);
	buf__add(&types->entries, data, size);
	types->nr++;
}

int bpf_types__error(const struct bpf_types *types)
{
	return buf__error(&types->entries);
}

void bpf_types__keep(struct bpf_types *types, bool (*is_used)(void *ctx, uint32_t id), void *ctx)
{
	size_t begin = 0, pos = 0, to = 0;
	struct entry entry;

	types->nr = 0;
	for (; next(types, &pos, &entry); begin = pos) {
		if (!is_used(ctx, entry.id))
			continue;
		memmove(types->entries.data + to, types->entries.data + begin, pos - begin);
		to += pos - begin;
		types->nr++;
	}
	buf__truncate(&types->entries, to);
	buf__shrink(&types->entries);
}

void bpf_types__add_feature(const struct bpf_types *types, struct buf *b)
{
	if (!types->nr)
		return;
	buf__add_u32(b, types->nr);
	buf__add_buf(b, &types->entries);
}

void bpf_types__release(struct bpf_types *types)
{
	buf__release(&types->entries);
}
