// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

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

static const char *const register_names[GUEST_NR_REGISTERS] = {
	[GUEST_RAX] = "rax",   [GUEST_RBX] = "rbx",	    [GUEST_RCX] = "rcx",
	[GUEST_RDX] = "rdx",   [GUEST_RSI] = "rsi",	    [GUEST_RSP] = "rsp",
	[GUEST_RIP] = "rip",   [GUEST_CS] = "cs",	    [GUEST_CR3] = "cr3",
	[GUEST_EFER] = "efer", [GUEST_GS_BASE] = "gs_base", [GUEST_K_GS_BASE] = "k_gs_base",
};

/* One buffer per vCPU thread: the interface wants a GByteArray for everything. */
static GByteArray *scratch(void)
{
	static __thread GByteArray *array;

	if (!array)
		array = g_byte_array_sized_new(4096);
	g_byte_array_set_size(array, 0);
	return array;
}

static void find_register(struct guest *guest, const qemu_plugin_reg_descriptor *found)
{
	for (int i = 0; i < GUEST_NR_REGISTERS; i++)
		if (!strcmp(found->name, register_names[i]))
			guest->registers[i] = found->handle;
}

int guest__init(struct guest *guest)
{
	GArray *all = qemu_plugin_get_registers();

	memset(guest, 0, sizeof(*guest));
	for (guint i = 0; i < all->len; i++)
		find_register(guest, &g_array_index(all, qemu_plugin_reg_descriptor, i));
	g_array_free(all, TRUE);
	for (int i = 0; i < GUEST_NR_REGISTERS; i++)
		if (!guest->registers[i])
			return -ENOENT;
	return 0;
}

uint64_t guest__read(const struct guest *guest, enum guest_register reg)
{
	GByteArray *array = scratch();
	uint64_t value = 0;

	if (!qemu_plugin_read_register(guest->registers[reg], array))
		return 0;
	memcpy(&value, array->data, MIN(array->len, sizeof(value)));
	return value;
}

void guest__write(const struct guest *guest, enum guest_register reg, uint64_t value)
{
	GByteArray *array = scratch();

	g_byte_array_append(array, (const guint8 *)&value, sizeof(value));
	qemu_plugin_write_register(guest->registers[reg], array);
}

int guest__read_virtual(uint64_t address, void *to, size_t size)
{
	GByteArray *array = scratch();

	if (!qemu_plugin_read_memory_vaddr(address, array, size))
		return -EFAULT;
	memcpy(to, array->data, size);
	return 0;
}

int guest__read_physical(void *opaque, uint64_t address, void *to, size_t size)
{
	GByteArray *array = scratch();

	if (qemu_plugin_read_memory_hwaddr(address, array, size))
		return -EFAULT;
	memcpy(to, array->data, size);
	return 0;
}

int guest__write_physical(void *opaque, uint64_t address, const void *from, size_t size)
{
	GByteArray *array = scratch();

	g_byte_array_append(array, from, (guint)size);
	return qemu_plugin_write_memory_hwaddr(address, array) ? -EFAULT : 0;
}

int guest__retranslate(uint64_t address)
{
	uint64_t physical;
	uint8_t byte;

	/* QEMU drops translations of what is written, be it the same as before. */
	if (!qemu_plugin_translate_vaddr(address, &physical) ||
	    guest__read_physical(NULL, physical, &byte, sizeof(byte)) < 0)
		return -EFAULT;
	return guest__write_physical(NULL, physical, &byte, sizeof(byte));
}

static enum x86_mode mode_of(const struct guest *guest, uint64_t selector)
{
	if (!(guest__read(guest, GUEST_EFER) & EFER_LMA))
		return X86_MODE_32;
	if (selector == LINUX_KERNEL32_CS || selector == LINUX_USER32_CS || (selector & SELECTOR_TI))
		return X86_MODE_32;
	return X86_MODE_64;
}

enum x86_mode guest__mode(const struct guest *guest)
{
	return mode_of(guest, guest__read(guest, GUEST_CS) & 0xffff);
}

struct flow_context guest__context(const struct guest *guest)
{
	uint64_t selector = guest__read(guest, GUEST_CS) & 0xffff;

	return (struct flow_context){
		.cr3 = guest__read(guest, GUEST_CR3),
		.cpl = selector & SELECTOR_RPL,
		.mode = mode_of(guest, selector),
	};
}

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
		.cpl = selector & SELECTOR_RPL,
		.mode = mode_of(guest, selector & 0xffff),
	};
	return true;
}

uint64_t guest__tsc(void)
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
