/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encodes single ETE packets into bytes.
 *
 * Arm ARM (DDI 0487), part D, chapter "ETE Trace Packets" (as ETMv4, IHI 0064, has
 * them). The state is what compresses: the addresses told last, and the time stamp.
 */
#ifndef ETE_PACKET_H
#define ETE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for the longest packet: an address with context. */
#define ETE_PACKET_MAX 16u

/* Atoms that one packet can hold. */
#define ETE_ATOMS_MAX 24u

/* A byte that says nothing, to fill up with. */
#define ETE_IGNORE 0x70u

#define ETE_HISTORY 3u

struct ete_history {
	uint64_t addresses[ETE_HISTORY]; /* the newest first */
	unsigned int known;		 /* how many of them were told since the last Trace Info */
	uint64_t timestamp;		 /* 0 after a Trace Info */
};

/* Of AArch64 state, not secure. */
struct ete_context {
	uint8_t level; /* exception level */
	bool has_id;
	uint32_t id; /* CONTEXTIDR */
};

/* Types of exceptions. */
enum ete_exception {
	ETE_EXC_CALL = 2,
	ETE_EXC_TRAP = 3,
	ETE_EXC_SYSTEM_ERROR = 4,
	ETE_EXC_INST_DEBUG = 6,
	ETE_EXC_DATA_DEBUG = 7,
	ETE_EXC_ALIGNMENT = 10,
	ETE_EXC_INST_FAULT = 11,
	ETE_EXC_DATA_FAULT = 12,
	ETE_EXC_IRQ = 14,
	ETE_EXC_FIQ = 15,
};

/* All return the number of bytes put at out, which has room for ETE_PACKET_MAX. */
size_t ete_packet__async(uint8_t *out);

/** Without transaction, cycle counts and speculation; history becomes empty. */
size_t ete_packet__trace_info(uint8_t *out, struct ete_history *history);
size_t ete_packet__trace_on(uint8_t *out);

/**
 * As many of the count (1..ETE_ATOMS_MAX) atoms as one packet can tell; the oldest is
 * the lowest bit of atoms, 1 is taken. *told is how many these are.
 */
size_t ete_packet__atoms(uint8_t *out, uint32_t atoms, unsigned int count, unsigned int *told);

/** Where execution goes on, as short as the history allows. */
size_t ete_packet__address(uint8_t *out, struct ete_history *history, uint64_t address);
size_t ete_packet__address_context(uint8_t *out, struct ete_history *history, uint64_t address,
				   const struct ete_context *context);
size_t ete_packet__context(uint8_t *out, const struct ete_context *context);

/**
 * An address packet with the preferred return address must follow. The target of the
 * last branch has been told, also if it is that address.
 */
size_t ete_packet__exception(uint8_t *out, enum ete_exception type);

/** Only what changed since the last one. */
size_t ete_packet__timestamp(uint8_t *out, struct ete_history *history, uint64_t timestamp);

#endif
