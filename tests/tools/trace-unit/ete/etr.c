// SPDX-License-Identifier: GPL-2.0-only
#include "etr.h"

#include <string.h>

/* The circular buffer itself takes nothing of what a real one needs time for: it is always ready. */
#define ALWAYS_READY ETR_STS_READY

/* What CLAIMSET reads as: the tags that there are. CLAIMCLR reads as those that are set; with a bit above them, which
 * nobody looks at, because writing there what can be read clears it. */
#define CLAIM_TAGS 0xfu
#define CLAIM_READ (1u << 31)

/* An ETR, 128 bits wide, that knows no scatter-gather. */
#define DEVID (1u << 6 | 4u << 8 | 1u << 24)
/* The guest may use it: non-secure debug is there and on. */
#define AUTHSTATUS 3u

/* Peripheral ID 0x000bb9e8, "CoreSight SoC-600 TMC ETR", which lets software set the pointers; and a component's ID. */
static const uint8_t identity[] = {0xe8, 0xb9, 0x0b, 0x00, 0x0d, 0x90, 0x05, 0xb1};

static uint32_t load(const struct etr *etr, unsigned int offset)
{
	uint32_t value;

	return etr->memory->read(etr->opaque, etr->address + offset, &value, sizeof(value)) < 0 ? 0 : value;
}

/* Memory that was there to be read is there to be written. */
static void store(const struct etr *etr, unsigned int offset, uint32_t value)
{
	(void)etr->memory->write(etr->opaque, etr->address + offset, &value, sizeof(value));
}

static uint64_t load_address(const struct etr *etr, unsigned int low, unsigned int high)
{
	return load(etr, low) | (uint64_t)load(etr, high) << 32;
}

static void store_address(const struct etr *etr, unsigned int low, unsigned int high, uint64_t value)
{
	store(etr, low, (uint32_t)value);
	store(etr, high, (uint32_t)(value >> 32));
}

void etr__reset(struct etr *etr)
{
	etr->claims = 0;
	store(etr, ETR_STS, ALWAYS_READY);
	store(etr, ETR_CLAIMSET, CLAIM_TAGS);
	store(etr, ETR_CLAIMCLR, CLAIM_READ);
	store(etr, ETR_AUTHSTATUS, AUTHSTATUS);
	store(etr, ETR_DEVID, DEVID);
	for (unsigned int i = 0; i < sizeof(identity); i++)
		store(etr, ETR_PIDR0 + 4 * i, identity[i]);
}

static void settle_claims(struct etr *etr)
{
	uint32_t set = load(etr, ETR_CLAIMSET), clear = load(etr, ETR_CLAIMCLR);

	if (set == CLAIM_TAGS && clear & CLAIM_READ)
		return;
	if (set != CLAIM_TAGS)
		etr->claims |= set & CLAIM_TAGS;
	if (!(clear & CLAIM_READ))
		etr->claims &= ~clear;
	store(etr, ETR_CLAIMSET, CLAIM_TAGS);
	store(etr, ETR_CLAIMCLR, etr->claims | CLAIM_READ);
}

/* The sources hand over what they have when they are switched off, which is before: there is nothing left to flush. */
static void settle_flush(const struct etr *etr)
{
	uint32_t ffcr = load(etr, ETR_FFCR);

	if (!(ffcr & ETR_FFCR_FLUSH))
		return;
	store(etr, ETR_FFCR, ffcr & ~ETR_FFCR_FLUSH);
	store(etr, ETR_FFSR, ffcr & ETR_FFCR_STOP_ON_FLUSH ? ETR_FFSR_STOPPED : 0);
}

void etr__settle(struct etr *etr)
{
	settle_claims(etr);
	settle_flush(etr);
}

/* Even bytes of a frame are an ID (bit 0 set) or data, whose bit 0 is then in the last byte, with the other ones'. */
static void put_even(uint8_t frame[ETR_FRAME], unsigned int at, uint8_t value)
{
	frame[at] = value & 0xfe;
	frame[ETR_FRAME - 1] |= (uint8_t)((value & 1) << at / 2);
}

size_t etr__frame(uint8_t frame[ETR_FRAME], uint8_t id, const uint8_t *data, size_t size)
{
	size_t taken = size < ETR_FRAME_DATA ? size : ETR_FRAME_DATA;
	unsigned int at = 1;

	memset(frame, 0, ETR_FRAME);
	frame[0] = (uint8_t)(id << 1 | 1);
	for (size_t i = 0; i < taken; i++, at++) {
		if (at & 1) {
			frame[at] = data[i];
		} else if (i + 1 == taken && taken < ETR_FRAME_DATA) {
			/*
			 * Source 0 is nobody. Its ID is at an even place, and may hold from behind the byte
			 * that follows.
			 */
			frame[at] = 1;
			frame[ETR_FRAME - 1] |= (uint8_t)(1 << at / 2);
			frame[++at] = data[i];
		} else {
			put_even(frame, at, data[i]);
		}
	}
	if (taken & 1)
		frame[at] = 1;
	return taken;
}

/* The circular buffer, while one write goes on. */
struct ring {
	uint64_t base, end, next;
	bool full;
};

bool etr__accepts(const struct etr *etr)
{
	/* What stops it for good is a flush; software asks for that stop only just before the flush. */
	return load(etr, ETR_CTL) & ETR_CTL_CAPTURE && !(load(etr, ETR_FFCR) & ETR_FFCR_STOP_ON_FLUSH) &&
	       !load(etr, ETR_MODE);
}

static bool load_ring(const struct etr *etr, struct ring *ring)
{
	ring->base = load_address(etr, ETR_DBALO, ETR_DBAHI);
	ring->end = ring->base + (uint64_t)load(etr, ETR_RSZ) * 4;
	ring->next = load_address(etr, ETR_RWP, ETR_RWPHI);
	ring->full = load(etr, ETR_STS) & ETR_STS_FULL;
	return ring->next >= ring->base && ring->next < ring->end && !((ring->end - ring->next) % ETR_FRAME);
}

static void store_ring(const struct etr *etr, const struct ring *ring)
{
	store_address(etr, ETR_RWP, ETR_RWPHI, ring->next);
	if (!ring->full)
		return;
	store_address(etr, ETR_RRP, ETR_RRPHI, ring->next);
	store(etr, ETR_STS, ALWAYS_READY | ETR_STS_FULL);
}

void etr__write(const struct etr *etr, uint8_t id, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint8_t frame[ETR_FRAME];
	struct ring ring;

	if (!etr__accepts(etr) || !load_ring(etr, &ring))
		return;
	while (size) {
		size_t taken = etr__frame(frame, id, bytes, size);

		if (etr->memory->write(etr->opaque, ring.next, frame, sizeof(frame)) < 0)
			break;
		bytes += taken;
		size -= taken;
		ring.next += sizeof(frame);
		if (ring.next == ring.end) {
			ring.next = ring.base;
			ring.full = true;
		}
	}
	store_ring(etr, &ring);
}
