// SPDX-License-Identifier: GPL-2.0-only
#include "guest_x86.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define EFER_LMA (1u << 10)
#define SELECTOR_RPL 3u
#define SELECTOR_TI 4u

/* Linux' selectors of 32-bit code: __KERNEL32_CS, __USER32_CS. */
#define LINUX_KERNEL32_CS 0x08u
#define LINUX_USER32_CS 0x23u

/* Local APIC, at the address that xAPIC mode has it at (SDM vol. 3, "APIC"). */
#define APIC_ICR_LOW 0xfee00300u
#define APIC_LVT_PC 0xfee00340u
#define APIC_LVT_MASKED (1u << 16)
#define APIC_DELIVERY 0x7ffu /* vector and delivery mode, alike in LVT and ICR */
#define APIC_ICR_ASSERT (1u << 14)
#define APIC_ICR_SELF (1u << 18)

const char *const guest__register_names[GUEST_NR_REGISTERS] = {
	[GUEST_RAX] = "rax",   [GUEST_RBX] = "rbx",	    [GUEST_RCX] = "rcx",
	[GUEST_RDX] = "rdx",   [GUEST_RSI] = "rsi",	    [GUEST_RSP] = "rsp",
	[GUEST_RIP] = "rip",   [GUEST_CS] = "cs",	    [GUEST_CR3] = "cr3",
	[GUEST_EFER] = "efer", [GUEST_GS_BASE] = "gs_base", [GUEST_K_GS_BASE] = "k_gs_base",
};

/*
 * Width of the code segment. The plugin interface shows only the selector of CS, not its descriptor, so this
 * knows the descriptors that Linux gives its selectors (arch/x86/include/asm/segment.h); code in an LDT counts
 * as 32-bit.
 */
static enum insn_mode mode_of(const struct guest *guest, uint64_t selector)
{
	if (!(guest__read(guest, GUEST_EFER) & EFER_LMA))
		return X86_MODE_32;
	if (selector == LINUX_KERNEL32_CS || selector == LINUX_USER32_CS || (selector & SELECTOR_TI))
		return X86_MODE_32;
	return X86_MODE_64;
}

uint64_t guest__ip(const struct guest *guest)
{
	return guest__read(guest, GUEST_RIP);
}

enum insn_mode guest__mode(const struct guest *guest)
{
	return mode_of(guest, guest__read(guest, GUEST_CS) & 0xffff);
}

struct flow_context guest__context(const struct guest *guest)
{
	uint64_t selector = guest__read(guest, GUEST_CS) & 0xffff;

	return (struct flow_context){
		.space = guest__read(guest, GUEST_CR3),
		.level = selector & SELECTOR_RPL,
		.mode = mode_of(guest, selector),
	};
}

/* From the frame that the CPU pushed (64-bit IDT delivery). */
bool guest__interrupted(const struct guest *guest, uint64_t from, struct flow_context *context)
{
	uint64_t frame[3]; /* maybe an error code, then RIP, CS */
	uint64_t selector;

	if (guest__read_virtual(guest__read(guest, GUEST_RSP), frame, sizeof(frame)) < 0)
		return false;
	if (frame[0] == from)
		selector = frame[1];
	else if (frame[1] == from)
		selector = frame[2];
	else
		return false;
	*context = (struct flow_context){
		.level = selector & SELECTOR_RPL,
		.mode = mode_of(guest, selector & 0xffff),
	};
	return true;
}

bool guest__is_user(const struct flow_context *context)
{
	return context->level == 3;
}

bool guest__is_compat(const struct flow_context *context)
{
	return context->mode == X86_MODE_32;
}

/* The kernel's per-CPU base is in GS while in the kernel, else swapped out. */
int guest__kernel_physical(const struct guest *guest, uint64_t address, uint64_t *physical)
{
	return qemu_plugin_translate_vaddr(address, physical) ? 0 : -EFAULT;
}

uint64_t guest__per_cpu_base(const struct guest *guest)
{
	uint64_t base = guest__read(guest, GUEST_GS_BASE);

	return base >> 63 ? base : guest__read(guest, GUEST_K_GS_BASE);
}

uint64_t guest__next_task(const struct guest *guest)
{
	return guest__read(guest, GUEST_RSI);
}

uint64_t guest__clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void guest__raise_pmi(void)
{
	uint32_t lvt, icr;

	if (guest__read_physical(NULL, APIC_LVT_PC, &lvt, sizeof(lvt)) < 0 || (lvt & APIC_LVT_MASKED))
		return;
	icr = (lvt & APIC_DELIVERY) | APIC_ICR_ASSERT | APIC_ICR_SELF;
	/* Delivery masks the LVT entry (SDM vol. 3, "Local Vector Table"). */
	lvt |= APIC_LVT_MASKED;
	guest__write_physical(NULL, APIC_LVT_PC, &lvt, sizeof(lvt));
	guest__write_physical(NULL, APIC_ICR_LOW, &icr, sizeof(icr));
}
