// SPDX-License-Identifier: GPL-2.0-only
#include "trbe.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define PAGE_MASK (~(uint64_t)(PAGE - 1))

/* Any address will do for the pointer; the access flag is kept by hardware (what Linux ignores). */
#define TRBIDR_F (1ull << 5)

void trbe__init(struct trbe *trbe)
{
	*trbe = (struct trbe){.registers = {[TRBE_IDR] = TRBIDR_F}};
}

void trbe__free(struct trbe *trbe)
{
	free(trbe->bytes);
}

uint64_t trbe__read(const struct trbe *trbe, enum trbe_register which)
{
	return trbe->registers[which];
}

void trbe__write(struct trbe *trbe, enum trbe_register which, uint64_t value)
{
	if (which == TRBE_IDR)
		return;
	trbe->registers[which] = which == TRBE_BASER ? value & PAGE_MASK : value;
	trbe->first = trbe->registers[TRBE_PTR];
}

bool trbe__enabled(const struct trbe *trbe)
{
	return trbe->registers[TRBE_LIMITR] & TRBLIMITR_E;
}

bool trbe__accepts(const struct trbe *trbe)
{
	return trbe__enabled(trbe) && !(trbe->registers[TRBE_SR] & TRBSR_S);
}

static uint64_t fill_mode(const struct trbe *trbe)
{
	return trbe->registers[TRBE_LIMITR] & TRBLIMITR_FM;
}

bool trbe__stops_when_full(const struct trbe *trbe)
{
	return fill_mode(trbe) == TRBLIMITR_FM_FILL;
}

static uint64_t limit(const struct trbe *trbe)
{
	return trbe->registers[TRBE_LIMITR] & PAGE_MASK;
}

uint64_t trbe__room(const struct trbe *trbe)
{
	uint64_t pointer = trbe->registers[TRBE_PTR];

	return pointer < limit(trbe) ? limit(trbe) - pointer : 0;
}

static bool keep(struct trbe *trbe, const void *data, size_t size)
{
	if (trbe->size + size > trbe->capacity) {
		size_t capacity = (trbe->capacity + size) * 2 + PAGE;
		uint8_t *bytes = realloc(trbe->bytes, capacity);

		if (!bytes)
			return false;
		trbe->bytes = bytes;
		trbe->capacity = capacity;
	}
	memcpy(trbe->bytes + trbe->size, data, size);
	trbe->size += size;
	return true;
}

static void wrap(struct trbe *trbe)
{
	trbe->registers[TRBE_PTR] = trbe->registers[TRBE_BASER];
	trbe->registers[TRBE_SR] |= TRBSR_WRAP;
	if (fill_mode(trbe) != TRBLIMITR_FM_CBUF)
		trbe->registers[TRBE_SR] |= TRBSR_IRQ;
	if (trbe__stops_when_full(trbe))
		trbe->registers[TRBE_SR] |= TRBSR_S | TRBSR_BSC_FILLED;
}

static void stop_for_fault(struct trbe *trbe)
{
	trbe->registers[TRBE_SR] |= TRBSR_IRQ | TRBSR_S | TRBSR_EC_STAGE1_ABORT;
}

void trbe__put(struct trbe *trbe, const void *data, size_t size)
{
	const uint8_t *from = data;

	while (size && trbe__accepts(trbe)) {
		uint64_t room = trbe__room(trbe);
		size_t now = size < room ? size : (size_t)room;

		/* The pointer is out of the buffer, or there is none. */
		if (!now || !keep(trbe, from, now)) {
			stop_for_fault(trbe);
			return;
		}
		trbe->registers[TRBE_PTR] += now;
		trbe->written += now;
		from += now;
		size -= now;
		if (now == room)
			wrap(trbe);
	}
}

bool trbe__irq(const struct trbe *trbe)
{
	return trbe->registers[TRBE_SR] & TRBSR_IRQ;
}

void trbe__drain(struct trbe *trbe,
		 int (*write)(void *opaque, uint64_t address, const void *from, size_t size), void *opaque)
{
	const uint8_t *from = trbe->bytes;
	size_t left = trbe->size;

	trbe->size = 0;
	while (left) {
		uint64_t room = PAGE - trbe->first % PAGE;
		size_t now = left < room ? left : (size_t)room;

		if (write(opaque, trbe->first, from, now) < 0) {
			stop_for_fault(trbe);
			return;
		}
		from += now;
		left -= now;
		trbe->first += now;
		if (trbe->first == limit(trbe))
			trbe->first = trbe->registers[TRBE_BASER];
	}
}
