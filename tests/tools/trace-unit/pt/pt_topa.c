// SPDX-License-Identifier: GPL-2.0-only
#include "pt_topa.h"

/* Consecutive END entries that are followed before the tables count as wrong. */
#define MAX_END_CHAIN 1024

/* One write in progress. */
struct walk {
	struct pt_output *output;
	const struct pt_memory_ops *memory;
	void *opaque;
	const uint8_t *data;
	size_t left;
};

static uint64_t offset_of(const struct pt_output *output)
{
	return output->mask_ptrs >> 32;
}

static void set_offset(struct pt_output *output, uint64_t offset)
{
	output->mask_ptrs = (output->mask_ptrs & UINT32_MAX) | offset << 32;
}

static void set_table_index(struct pt_output *output, uint64_t index)
{
	output->mask_ptrs = pt_output__forced_mask(true) | (index << 7 & UINT32_MAX);
}

uint64_t pt_output__forced_mask(bool topa)
{
	return topa ? 0x7f : 0;
}

/* Puts as much as fits into [address, address + room); returns the bytes or -1. */
static int64_t put(struct walk *w, uint64_t address, uint64_t room)
{
	size_t size = w->left < room ? w->left : (size_t)room;

	if (w->memory->write(w->opaque, address, w->data, size) < 0)
		return -1;
	w->data += size;
	w->left -= size;
	w->output->written += size;
	return (int64_t)size;
}

static unsigned int write_range(struct walk *w)
{
	struct pt_output *output = w->output;
	uint64_t size = (output->mask_ptrs & UINT32_MAX) + 1;

	while (w->left) {
		uint64_t offset = offset_of(output);
		int64_t done;

		if ((size & (size - 1)) || offset >= size || (output->base & (size - 1)))
			return PT_OUTPUT_ERROR;
		done = put(w, output->base + offset, size - offset);
		if (done < 0)
			return PT_OUTPUT_ERROR;
		offset += (uint64_t)done;
		set_offset(output, offset == size ? 0 : offset);
	}
	return 0;
}

/* Reads the current entry, following END entries to their tables. */
static int read_entry(struct walk *w, uint64_t *entry)
{
	for (int links = 0; links < MAX_END_CHAIN; links++) {
		uint64_t index = (w->output->mask_ptrs & UINT32_MAX) >> 7;
		uint64_t address = w->output->base + index * sizeof(*entry);
		uint64_t offset = offset_of(w->output);

		if (w->memory->read(w->opaque, address, entry, sizeof(*entry)) < 0)
			return -1;
		if (!(*entry & TOPA_END))
			return 0;
		w->output->base = *entry & TOPA_ADDRESS;
		set_table_index(w->output, 0);
		set_offset(w->output, offset);
	}
	return -1;
}

/* The current region is full: on to the next one. */
static unsigned int leave_region(struct walk *w, uint64_t entry)
{
	unsigned int events = entry & TOPA_INT ? PT_OUTPUT_PMI : 0;
	uint64_t index = (w->output->mask_ptrs & UINT32_MAX) >> 7;
	uint64_t next;

	if (entry & TOPA_STOP)
		return events | PT_OUTPUT_STOPPED;
	set_table_index(w->output, index + 1);
	/* Software that looks at the pointers expects them past an END entry. */
	if (read_entry(w, &next) < 0)
		return events | PT_OUTPUT_ERROR;
	return events;
}

static unsigned int write_region(struct walk *w)
{
	uint64_t entry, size, offset = offset_of(w->output);
	int64_t done;

	if (read_entry(w, &entry) < 0)
		return PT_OUTPUT_ERROR;
	size = UINT64_C(4096) << (entry >> TOPA_SIZE_SHIFT & 15);
	if (entry & TOPA_ADDRESS & (size - 1))
		return PT_OUTPUT_ERROR;
	if (offset >= size) /* only a STOP region is left full */
		return leave_region(w, entry);
	done = put(w, (entry & TOPA_ADDRESS) + offset, size - offset);
	if (done < 0)
		return PT_OUTPUT_ERROR;
	set_offset(w->output, offset + (uint64_t)done);
	return offset + (uint64_t)done == size ? leave_region(w, entry) : 0;
}

unsigned int pt_output__write(struct pt_output *output, bool topa, const void *data, size_t size,
			      const struct pt_memory_ops *memory, void *opaque)
{
	struct walk w = {
		.output = output,
		.memory = memory,
		.opaque = opaque,
		.data = data,
		.left = size,
	};
	unsigned int events = 0;

	if (!topa)
		return write_range(&w);
	while (w.left && !(events & (PT_OUTPUT_STOPPED | PT_OUTPUT_ERROR)))
		events |= write_region(&w);
	return events;
}
