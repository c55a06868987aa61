// SPDX-License-Identifier: GPL-2.0-only
#include "ete_packet.h"

#include <string.h>

enum {
	TRACE_INFO = 0x01,
	TRACE_INFO_PLCTL_INFO = 0x01,
	TIMESTAMP = 0x02,
	TRACE_ON = 0x04,
	EXCEPTION = 0x06,
	CONTEXT = 0x81,
	ADDRESS_CONTEXT_64_IS0 = 0x85,
	ADDRESS_MATCH = 0x90,
	ADDRESS_SHORT_IS0 = 0x95,
	ADDRESS_32_IS0 = 0x9a,
	ADDRESS_64_IS0 = 0x9d,
	ATOMS_6 = 0xc0,
	ATOMS_2 = 0xd8,
	ATOMS_4 = 0xdc,
	ATOMS_6_NOT_TAKEN_LAST = 0x20,
	ATOMS_1 = 0xf6,
	ATOMS_3 = 0xf8,
};

#define ASYNC_ZEROES 11u
#define ASYNC_END 0x80u

#define EXCEPTION_E0 0x01u

#define CONTEXT_SF 0x10u
#define CONTEXT_NS 0x20u
#define CONTEXT_C 0x80u

#define CONTINUED 0x80u

size_t ete_packet__async(uint8_t *out)
{
	memset(out, 0, ASYNC_ZEROES);
	out[ASYNC_ZEROES] = ASYNC_END;
	return ASYNC_ZEROES + 1;
}

size_t ete_packet__trace_info(uint8_t *out, struct ete_history *history)
{
	*history = (struct ete_history){.known = 0};
	out[0] = TRACE_INFO;
	out[1] = TRACE_INFO_PLCTL_INFO;
	out[2] = 0;
	return 3;
}

size_t ete_packet__trace_on(uint8_t *out)
{
	out[0] = TRACE_ON;
	return 1;
}

/* Patterns that a packet has a number for; the oldest atom is the lowest bit. */
static const struct {
	uint8_t count, atoms, header;
} patterns[] = {
	{5, 0x00, 0xd5}, {5, 0x0a, 0xd6}, {5, 0x15, 0xd7}, {5, 0x1e, 0xf5},
	{4, 0x0e, 0xdc}, {4, 0x00, 0xdd}, {4, 0x0a, 0xde}, {4, 0x05, 0xdf},
};

/* Returns the pattern's header, or 0. */
static uint8_t find_pattern(uint32_t atoms, unsigned int count, unsigned int *told)
{
	for (unsigned int i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		*told = patterns[i].count;
		if (count >= *told && (atoms & ((1u << *told) - 1)) == patterns[i].atoms)
			return patterns[i].header;
	}
	return 0;
}

size_t ete_packet__atoms(uint8_t *out, uint32_t atoms, unsigned int count, unsigned int *told)
{
	unsigned int taken = 0;

	while (taken < count && (atoms >> taken & 1))
		taken++;
	/* 3 to 23 taken ones, and one more of either kind. */
	if (taken >= 3 && taken < count) {
		*told = taken + 1;
		out[0] = (uint8_t)(ATOMS_6 | ATOMS_6_NOT_TAKEN_LAST | (taken - 3));
	} else if (taken >= 4) {
		*told = taken;
		out[0] = (uint8_t)(ATOMS_6 | (taken - 4));
	} else {
		out[0] = find_pattern(atoms, count, told);
	}
	if (out[0])
		return 1;
	*told = count < 3 ? count : 3;
	if (*told == 3)
		out[0] = ATOMS_3 | (atoms & 7);
	else if (*told == 2)
		out[0] = ATOMS_2 | (atoms & 3);
	else
		out[0] = ATOMS_1 | (atoms & 1);
	return 1;
}

static void remember(struct ete_history *history, uint64_t address)
{
	memmove(history->addresses + 1, history->addresses,
		(ETE_HISTORY - 1) * sizeof(history->addresses[0]));
	history->addresses[0] = address;
	if (history->known < ETE_HISTORY)
		history->known++;
}

/* The bytes of an address of A64 code (IS0), 4 or 8 of them. */
static size_t put_address(uint8_t *out, uint64_t address, size_t bytes)
{
	out[0] = address >> 2 & 0x7f;
	out[1] = address >> 9 & 0x7f;
	for (size_t i = 2; i < bytes; i++)
		out[i] = (uint8_t)(address >> 8 * i);
	return bytes;
}

static size_t put_short(uint8_t *out, uint64_t address, uint64_t differs)
{
	out[0] = ADDRESS_SHORT_IS0;
	out[1] = address >> 2 & 0x7f;
	if (differs >> 9 == 0)
		return 2;
	out[1] |= CONTINUED;
	out[2] = (uint8_t)(address >> 9);
	return 3;
}

size_t ete_packet__address(uint8_t *out, struct ete_history *history, uint64_t address)
{
	uint64_t differs = address ^ history->addresses[0];
	size_t size;

	for (unsigned int i = 0; i < history->known; i++) {
		if (history->addresses[i] != address)
			continue;
		remember(history, address);
		out[0] = (uint8_t)(ADDRESS_MATCH + i);
		return 1;
	}
	if (!history->known || differs >> 32) {
		out[0] = ADDRESS_64_IS0;
		size = 1 + put_address(out + 1, address, 8);
	} else if (differs >> 17) {
		out[0] = ADDRESS_32_IS0;
		size = 1 + put_address(out + 1, address, 4);
	} else {
		size = put_short(out, address, differs);
	}
	remember(history, address);
	return size;
}

static size_t put_context(uint8_t *out, const struct ete_context *context)
{
	size_t size = 1;

	out[0] = (uint8_t)(CONTEXT_NS | CONTEXT_SF | (context->has_id ? CONTEXT_C : 0) | context->level);
	for (unsigned int i = 0; context->has_id && i < 4; i++)
		out[size++] = (uint8_t)(context->id >> 8 * i);
	return size;
}

size_t ete_packet__address_context(uint8_t *out, struct ete_history *history, uint64_t address,
				   const struct ete_context *context)
{
	size_t size = 1;

	out[0] = ADDRESS_CONTEXT_64_IS0;
	size += put_address(out + size, address, 8);
	remember(history, address);
	return size + put_context(out + size, context);
}

size_t ete_packet__context(uint8_t *out, const struct ete_context *context)
{
	out[0] = CONTEXT;
	return 1 + put_context(out + 1, context);
}

size_t ete_packet__exception(uint8_t *out, enum ete_exception type)
{
	out[0] = EXCEPTION;
	out[1] = (uint8_t)(type << 1 | EXCEPTION_E0);
	return 2;
}

size_t ete_packet__timestamp(uint8_t *out, struct ete_history *history, uint64_t timestamp)
{
	uint64_t differs = timestamp ^ history->timestamp;
	size_t size = 0;

	out[size++] = TIMESTAMP;
	/* Seven bits each; the ninth byte has eight. */
	for (unsigned int shift = 0;; shift += 7) {
		if (shift == 56) {
			out[size++] = (uint8_t)(timestamp >> shift);
			break;
		}
		out[size] = timestamp >> shift & 0x7f;
		if (differs >> shift >> 7 == 0) {
			size++;
			break;
		}
		out[size++] |= CONTINUED;
	}
	history->timestamp = timestamp;
	return size;
}
