// SPDX-License-Identifier: GPL-2.0-only
#include "guest_arm.h"

#include <stdatomic.h>
#include <time.h>

#include "page_tables.h"

#define PSTATE_EL_SHIFT 2
#define PSTATE_NRW (1u << 4) /* 32-bit state, in a saved PSTATE */

/* Redistributors of the GICv3 of QEMU's virt machine; the second frame is for private interrupts. */
#define GICR_BASE 0x080a0000u
#define GICR_STRIDE 0x20000u
#define GICR_ISPENDR0 0x10200u
#define GICR_ICPENDR0 0x10280u

/* What the device tree says of the trace buffer: PPI 5. */
#define IRQ_ID 21u

#define NANOSECONDS 1000000000u

const char *const guest__register_names[GUEST_NR_REGISTERS] = {
	[GUEST_X0 + 0] = "x0",
	[GUEST_X0 + 1] = "x1",
	[GUEST_X0 + 2] = "x2",
	[GUEST_X0 + 3] = "x3",
	[GUEST_X0 + 4] = "x4",
	[GUEST_X0 + 5] = "x5",
	[GUEST_X0 + 6] = "x6",
	[GUEST_X0 + 7] = "x7",
	[GUEST_X0 + 8] = "x8",
	[GUEST_X0 + 9] = "x9",
	[GUEST_X0 + 10] = "x10",
	[GUEST_X0 + 11] = "x11",
	[GUEST_X0 + 12] = "x12",
	[GUEST_X0 + 13] = "x13",
	[GUEST_X0 + 14] = "x14",
	[GUEST_X0 + 15] = "x15",
	[GUEST_X0 + 16] = "x16",
	[GUEST_X0 + 17] = "x17",
	[GUEST_X0 + 18] = "x18",
	[GUEST_X0 + 19] = "x19",
	[GUEST_X0 + 20] = "x20",
	[GUEST_X0 + 21] = "x21",
	[GUEST_X0 + 22] = "x22",
	[GUEST_X0 + 23] = "x23",
	[GUEST_X0 + 24] = "x24",
	[GUEST_X0 + 25] = "x25",
	[GUEST_X0 + 26] = "x26",
	[GUEST_X0 + 27] = "x27",
	[GUEST_X0 + 28] = "x28",
	[GUEST_X0 + 29] = "x29",
	[GUEST_X0 + 30] = "x30",
	[GUEST_PC] = "pc",
	[GUEST_CPSR] = "cpsr",
	[GUEST_SPSR_EL1] = "SPSR_EL1",
	[GUEST_ESR_EL1] = "ESR_EL1",
	[GUEST_TPIDR_EL1] = "TPIDR_EL1",
	[GUEST_CONTEXTIDR_EL1] = "CONTEXTIDR_EL1",
	[GUEST_TTBR1_EL1] = "TTBR1_EL1",
	[GUEST_TCR_EL1] = "TCR_EL1",
	[GUEST_CNTFRQ_EL0] = "CNTFRQ_EL0",
	[GUEST_ID_AA64DFR0_EL1] = "ID_AA64DFR0_EL1",
};

uint64_t guest__read_x(const struct guest *guest, unsigned int number)
{
	return number < 31 ? guest__read(guest, GUEST_X0 + number) : 0;
}

void guest__write_x(const struct guest *guest, unsigned int number, uint64_t value)
{
	if (number < 31)
		guest__write(guest, GUEST_X0 + number, value);
}

uint64_t guest__ip(const struct guest *guest)
{
	return guest->ip_32 ? guest->ip_32 : guest__read(guest, GUEST_PC);
}

/* Of 32-bit code QEMU shows neither PC nor PSTATE: it has left PSTATE as the kernel had it. */
struct flow_context guest__context(const struct guest *guest)
{
	uint64_t pstate = guest->ip_32 ? 0 : guest__read(guest, GUEST_CPSR);

	return (struct flow_context){
		.space = guest__read(guest, GUEST_CONTEXTIDR_EL1),
		.level = pstate >> PSTATE_EL_SHIFT & 3,
		.mode = guest->ip_32 ? A64_MODE_32 : A64_MODE_64,
	};
}

/* The kernel has last returned to 32-bit code, and this is no address of its own. */
bool guest__translates_32(const struct guest *guest, uint64_t address)
{
	return address >> 32 == 0 && (guest__read(guest, GUEST_SPSR_EL1) & PSTATE_NRW);
}

bool guest__is_user(const struct flow_context *context)
{
	return context->level == 0;
}

bool guest__is_compat(const struct flow_context *context)
{
	return context->mode == A64_MODE_32;
}

int guest__kernel_physical(const struct guest *guest, uint64_t address, uint64_t *physical)
{
	const struct page_tables tables = {
		.ttbr1 = guest__read(guest, GUEST_TTBR1_EL1),
		.tcr = guest__read(guest, GUEST_TCR_EL1),
		.read = guest__read_physical,
	};

	return page_tables__find(&tables, address, physical);
}

uint64_t guest__per_cpu_base(const struct guest *guest)
{
	return guest__read(guest, GUEST_TPIDR_EL1);
}

uint64_t guest__next_task(const struct guest *guest)
{
	return guest__read_x(guest, 1);
}

bool guest__interrupted(const struct guest *guest, uint64_t from, struct flow_context *context)
{
	uint64_t pstate = guest__read(guest, GUEST_SPSR_EL1);

	*context = (struct flow_context){
		.level = pstate & PSTATE_NRW ? 0 : pstate >> PSTATE_EL_SHIFT & 3,
		.mode = pstate & PSTATE_NRW ? A64_MODE_32 : A64_MODE_64,
	};
	return true;
}

/* How far the virtual counter is behind the host's clock, in its ticks, and how many of these a second has. */
static _Atomic int64_t behind = INT64_MAX;
static _Atomic uint64_t frequency;

/* The host's clock, which QEMU makes the counter of, in ticks of the counter. */
static int64_t host_clock(void)
{
	uint64_t hz = atomic_load_explicit(&frequency, memory_order_relaxed);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)((uint64_t)now.tv_sec * hz + (uint64_t)now.tv_nsec * hz / NANOSECONDS);
}

void guest__clock_was_read(const struct guest *guest, uint64_t value)
{
	int64_t known, difference;

	if (!atomic_load_explicit(&frequency, memory_order_relaxed))
		atomic_store(&frequency, guest__read(guest, GUEST_CNTFRQ_EL0));
	/* It was read a bit ago: the least difference is the truest. */
	difference = host_clock() - (int64_t)value;
	known = atomic_load_explicit(&behind, memory_order_relaxed);
	while (difference < known && !atomic_compare_exchange_weak(&behind, &known, difference))
		;
}

uint64_t guest__clock(void)
{
	int64_t known = atomic_load_explicit(&behind, memory_order_relaxed);

	return known == INT64_MAX ? 0 : (uint64_t)(host_clock() - known);
}

void guest__set_irq(unsigned int cpu, bool asserted)
{
	uint64_t frame = GICR_BASE + (uint64_t)cpu * GICR_STRIDE;
	uint32_t bit = 1u << IRQ_ID;

	guest__write_physical(NULL, frame + (asserted ? GICR_ISPENDR0 : GICR_ICPENDR0), &bit, sizeof(bit));
}
