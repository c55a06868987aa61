// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/uprobe_trampoline.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/path.h"
#include "symbols/proc_maps.h"
#include "trace/perf_event.h"

/*
 * The kernel's PERF_PROBE_CONFIG_IS_RETPROBE (kernel/events/core.c), in
 * /sys/bus/event_source/devices/uprobe/format/retprobe.
 */
#define CONFIG_RETURN 1

/* The maps of this process: that of the code at @addr, and the kernel's page. */
struct own_maps {
	uint64_t addr;
	uint64_t offset; /* of @addr in its file */
	uint64_t page;	 /* 0: there is none */
};

static __attribute__((noinline)) void probed(void)
{
	__asm__ volatile("");
}

static int look_at_map(void *ctx, struct proc_map *map)
{
	struct own_maps *maps = ctx;

	if (map->start <= maps->addr && maps->addr < map->end)
		maps->offset = maps->addr - map->start + map->pgoff;
	if (!strcmp(map->name, UPROBE_PAGE_NAME))
		maps->page = map->start;
	return 0;
}

/* Puts a probe, for this process only, and calls the function, so that the kernel maps its page. */
static int call_probed(const char *root, uint64_t offset)
{
	void (*volatile call)(void) = probed;
	struct perf_event_attr attr = {.config = CONFIG_RETURN, .probe_offset = offset};
	_cleanup_close_ int fd = -1;
	uint64_t type;
	int err = path__read_u64(root, &type, "/sys/bus/event_source/devices/uprobe/type");

	if (err)
		return err;
	attr.type = (uint32_t)type;
	attr.uprobe_path = (uintptr_t) "/proc/self/exe";
	fd = perf_event__open_self(&attr);
	if (fd < 0)
		return fd;
	call();
	return 0;
}

/*
 * Copies the page. The kernel reads it, because a process that did it itself would be killed where the page
 * is not what it was.
 */
static int copy_page(uint64_t addr, uint8_t *ret)
{
	_cleanup_close_ int fd = memfd_create("auxbpf", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, (const void *)(uintptr_t)addr, UPROBE_SLOT_SIZE, 0) < 0) {
#if defined(__aarch64__)
		/*
		 * The page can be executed and not read; it has a breakpoint
		 * (arch/arm64/include/asm/uprobes.h).
		 */
		if (errno == EFAULT) {
			uprobe_elf__fill_breakpoint(ret);
			return 0;
		}
#endif
		return -errno;
	}
	return pread(fd, ret, UPROBE_SLOT_SIZE, 0) == UPROBE_SLOT_SIZE ? 0 : -EIO;
}

int uprobe_trampoline__read(const char *root, uint8_t *ret)
{
	struct own_maps maps = {.addr = (uintptr_t)probed};
	int err = proc_maps__each("", getpid(), false, look_at_map, &maps);

	if (!err)
		err = call_probed(root, maps.offset);
	if (!err)
		err = proc_maps__each("", getpid(), false, look_at_map, &maps);
	if (!err && !maps.page)
		err = -ENOENT;
	return err ? err : copy_page(maps.page, ret);
}
