// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#include <errno.h>
#include <string.h>

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
		if (!strcmp(found->name, guest__register_names[i]))
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

int guest__read_kernel(const struct guest *guest, uint64_t address, void *to, size_t size)
{
	uint64_t physical;
	int err = guest__kernel_physical(guest, address, &physical);

	return err < 0 ? err : guest__read_physical(NULL, physical, to, size);
}

int guest__retranslate(const struct guest *guest, uint64_t address)
{
	uint64_t physical;
	uint8_t byte;
	int err = guest__kernel_physical(guest, address, &physical);

	if (err == 0)
		err = guest__read_physical(NULL, physical, &byte, sizeof(byte));
	/* QEMU drops translations of what is written, be it the same as before. */
	return err < 0 ? err : guest__write_physical(NULL, physical, &byte, sizeof(byte));
}
