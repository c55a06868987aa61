// SPDX-License-Identifier: GPL-2.0-only
#include "translated.h"

#include <stdio.h>
#include <time.h>

#include "fresh_code.h"

#define PAGE 4096u
#define MAX_INSN 16u

/* Instructions in a row, within a page. */
struct row {
	uint64_t address;
	const uint8_t *memory; /* NULL: there are none */
	size_t size;
	uint8_t bytes[PAGE + MAX_INSN];
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Ends the row. Of an instruction that is in two pages only the part in the first one is looked at. */
static void row__end(struct row *row, uint64_t time)
{
	size_t room = PAGE - row->address % PAGE;

	if (row->memory)
		fresh_code__add(row->address, row->memory, row->bytes, row->size < room ? row->size : room,
				time);
	row->memory = NULL;
	row->size = 0;
}

static void row__add(struct row *row, const struct qemu_plugin_insn *insn, uint64_t time)
{
	const uint64_t address = qemu_plugin_insn_vaddr(insn);

	if (!row->memory || address / PAGE != row->address / PAGE) {
		row__end(row, time);
		row->address = address;
		row->memory = qemu_plugin_insn_haddr(insn);
	}
	if (row->memory)
		row->size += qemu_plugin_insn_data(insn, row->bytes + row->size, MAX_INSN);
}

/* Addresses of kernels are negative. */
void translated__note(const struct qemu_plugin_tb *tb)
{
	const uint64_t time = now();
	struct row row = {0};

	if ((int64_t)qemu_plugin_tb_vaddr(tb) >= 0)
		return;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		row__add(&row, qemu_plugin_tb_get_insn(tb, i), time);
	row__end(&row, time);
}

void translated__check(const struct guest *guest)
{
	const uint64_t time = now();
	uint64_t address;

	while (fresh_code__find_stale(time, &address))
		if (guest__retranslate(guest, address) < 0)
			fprintf(stderr, "trace unit: stale code at %#llx\n", (unsigned long long)address);
}
