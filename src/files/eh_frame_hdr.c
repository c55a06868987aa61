// SPDX-License-Identifier: GPL-2.0-only
#include "files/eh_frame_hdr.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define DW_EH_PE_udata4 0x03
#define DW_EH_PE_sdata4 0x0b
#define DW_EH_PE_pcrel 0x10
#define DW_EH_PE_datarel 0x30

struct header {
	uint8_t version;
	uint8_t frame_encoding;
	uint8_t count_encoding;
	uint8_t table_encoding;
	int32_t frame;
	uint32_t count;
};

struct entry {
	int32_t function;
	int32_t description;
};

static bool header_is_known(const struct header *header, size_t len)
{
	return header->version == 1 && header->frame_encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) &&
	       header->count_encoding == DW_EH_PE_udata4 &&
	       header->table_encoding == (DW_EH_PE_datarel | DW_EH_PE_sdata4) &&
	       header->count <= (len - sizeof(*header)) / sizeof(struct entry);
}

int eh_frame_hdr__find(struct span hdr, uint64_t hdr_addr, uint64_t addr, struct eh_frame_entry *ret)
{
	struct header header;
	struct entry entry;
	int err = -ENOENT;
	uint32_t i;

	if (hdr.len < sizeof(header))
		return -EINVAL;
	memcpy(&header, hdr.data, sizeof(header));
	if (!header_is_known(&header, hdr.len))
		return -EINVAL;
	for (i = 0; i < header.count; i++) {
		memcpy(&entry, (const char *)hdr.data + sizeof(header) + i * sizeof(entry), sizeof(entry));
		if (hdr_addr + (uint64_t)(int64_t)entry.function > addr)
			break;
		ret->start = hdr_addr + (uint64_t)(int64_t)entry.function;
		ret->description = hdr_addr + (uint64_t)(int64_t)entry.description;
		err = 0;
	}
	return err;
}

/* Reads the first fields of a description. Another record tells the form of the last two; they have the
 * expected form if the third one is the function's start. */
int eh_frame__length(const uint8_t head[EH_FRAME_HEAD], const struct eh_frame_entry *entry, uint64_t *ret)
{
	struct {
		uint32_t length;
		uint32_t common;
		int32_t start;
		uint32_t range;
	} fde;

	_Static_assert(sizeof(fde) == EH_FRAME_HEAD, "as in the file");
	memcpy(&fde, head, sizeof(fde));
	if (fde.length < sizeof(fde) - sizeof(fde.length) || fde.length == UINT32_MAX || !fde.common ||
	    entry->description + offsetof(typeof(fde), start) + (uint64_t)(int64_t)fde.start != entry->start)
		return -EINVAL;
	*ret = fde.range;
	return 0;
}
