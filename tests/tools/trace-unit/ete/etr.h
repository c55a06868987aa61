/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace buffer that several CPUs share: CoreSight's Trace Memory Controller in its
 * router configuration (TMC-ETR), as the kernel's coresight-tmc programs it.
 *
 * A plugin cannot give the guest a device, so the registers are plain memory that the
 * guest takes for one. They are looked at when trace is to be written, and where the
 * driver waits after it has written what must not stay as it was written: behind each
 * access of that kind is an ISB, or a delay (WFIT).
 *
 * Arm CoreSight SoC-600 TRM (100806), "css600_tmc_etr"; Arm CoreSight Architecture
 * Specification (IHI 0029), "Formatter".
 */
#ifndef ETR_H
#define ETR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets of registers and their bits. */
#define ETR_RSZ 0x004 /* size of the buffer in words of 4 bytes */
#define ETR_STS 0x00c
#define ETR_STS_FULL (1u << 0)
#define ETR_STS_READY (1u << 2)
#define ETR_RRP 0x014 /* where the oldest byte is; the upper halves are in RRPHI, RWPHI */
#define ETR_RWP 0x018 /* where the next byte goes */
#define ETR_CTL 0x020
#define ETR_CTL_CAPTURE (1u << 0)
#define ETR_MODE 0x028 /* 0: a circular buffer */
#define ETR_RRPHI 0x038
#define ETR_RWPHI 0x03c
#define ETR_DBALO 0x118
#define ETR_DBAHI 0x11c
#define ETR_FFSR 0x300
#define ETR_FFSR_STOPPED (1u << 1)
#define ETR_FFCR 0x304
#define ETR_FFCR_FLUSH (1u << 6)
#define ETR_FFCR_STOP_ON_FLUSH (1u << 12)
#define ETR_CLAIMSET 0xfa0
#define ETR_CLAIMCLR 0xfa4
#define ETR_AUTHSTATUS 0xfb8
#define ETR_DEVID 0xfc8
#define ETR_PIDR0 0xfe0

/* The formatter's frames. */
#define ETR_FRAME 16u
#define ETR_FRAME_DATA \
	14u /* each begins with its source's ID, so that it can be read without the ones before */

struct etr_memory {
	/* Physical memory of the guest; 0 or a negative errno. */
	int (*read)(void *opaque, uint64_t address, void *to, size_t size);
	int (*write)(void *opaque, uint64_t address, const void *from, size_t size);
};

struct etr {
	const struct etr_memory *memory;
	void *opaque;
	uint64_t address; /* of the registers */
	uint32_t claims;  /* tags that are set */
};

/** Gives the registers the values that they have after a reset. */
void etr__reset(struct etr *etr);

/** Does what was asked of the registers since the last call: claims, a flush. */
void etr__settle(struct etr *etr);

/** Does it take trace? */
bool etr__accepts(const struct etr *etr);

/**
 * Puts trace of the source with that ID into the buffer, in whole frames; over the
 * oldest ones when it is full. Nothing happens while it does not take any: off, or
 * stopped by a flush.
 */
void etr__write(const struct etr *etr, uint8_t id, const void *data, size_t size);

/** Makes a frame of at most ETR_FRAME_DATA bytes, the rest filled with nothing's trace. Returns how many it took. */
size_t etr__frame(uint8_t frame[ETR_FRAME], uint8_t id, const uint8_t *data, size_t size);

#endif
