/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's code that was translated a short while ago, to find what was translated of code that has changed.
 *
 * QEMU drops the translations of code before it does the store that changes it (notdirty_write() in
 * accel/tcg/cputlb.c). A vCPU that comes to that code in between, because the host took the CPU from the one
 * that stores, translates what was there before, and that translation stays: QEMU does nothing where the kernel
 * synchronizes its instructions. The guest would run code that is in no memory of it, and no decoder could
 * follow its trace. So what was translated is compared with the memory some times later.
 *
 * For all vCPUs together; locked.
 */
#ifndef FRESH_CODE_H
#define FRESH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Notes that @size @bytes at the guest's @address, which this process has at @memory for good, were translated
 * at @now, in nanoseconds. Without memory for the note nothing is noted.
 */
void fresh_code__add(uint64_t address, const void *memory, const void *bytes, size_t size, uint64_t now);

/**
 * Looks at what is due. Returns true if a translation is not of what is in memory, and an address in it, that of
 * a byte that has not changed if there is one; to be called until it returns false. Memory that has become
 * something else altogether does not count.
 */
bool fresh_code__find_stale(uint64_t now, uint64_t *address);

#endif
