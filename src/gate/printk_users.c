// SPDX-License-Identifier: GPL-2.0-only
#include "gate/printk_users.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/path.h"
#include "symbols/kallsyms.h"

/* So long the kernel may take to do away with the programs of a process that has ended. */
#define GONE_MS 1000
#define LOOK_MS 10

/* What stands in the code for a call of one of the helpers (kernel/bpf/verifier.c, do_misc_fixups()). */
struct calls {
	int32_t printk, vprintk; /* 0: it is not known */
};

void printk_users__begin(void *ctx)
{
	struct printk_users *users = ctx;
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		users->last_id = id;
}

static int32_t distance(struct span symbols, uint64_t base, const char *helper)
{
	uint64_t addr = base ? kallsyms__find(symbols, helper) : 0;

	return addr ? (int32_t)(addr - base) : 0;
}

static struct calls find_calls(const char *root)
{
	_cleanup_close_ int fd = path__open(root, "/proc/kallsyms");
	_cleanup_buf_ struct buf text = {0};
	uint64_t base;

	if (fd < 0 || path__read_all(fd, &text))
		return (struct calls){0};
	base = kallsyms__find(buf__span(&text), "__bpf_call_base");
	return (struct calls){
		.printk = distance(buf__span(&text), base, "bpf_trace_printk"),
		.vprintk = distance(buf__span(&text), base, "bpf_trace_vprintk"),
	};
}

/* @calls is filled as it is needed: reading all symbols takes long. */
static bool has_call(const struct bpf_insn *insns, size_t nr, const char *root, struct calls *calls)
{
	for (size_t i = 0; i < nr; i++) {
		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].src_reg)
			continue;
		if (insns[i].imm && !calls->printk)
			*calls = find_calls(root);
		/* 0: the kernel does not show which one it is. */
		if (!insns[i].imm || !calls->printk || insns[i].imm == calls->printk ||
		    insns[i].imm == calls->vprintk)
			return true;
	}
	return false;
}

/* Whether the program writes to the event, as far as that can be told. One that is gone does not. */
static bool writes(uint32_t id, const char *root, struct calls *calls)
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	_cleanup_free_ struct bpf_insn *insns = NULL;
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info), size;

	if (fd < 0)
		return errno != ENOENT;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.xlated_prog_len)
		return true;
	size = info.xlated_prog_len;
	insns = malloc(size);
	info = (struct bpf_prog_info){.xlated_prog_len = size, .xlated_prog_insns = (uintptr_t)insns};
	if (!insns || bpf_obj_get_info_by_fd(fd, &info, &len))
		return true;
	/* The code of a blinded program is shown to nobody under kptr_restrict (bpf_prog_get_info_by_fd()). */
	if (!info.xlated_prog_insns)
		return true;
	return has_call(insns, info.xlated_prog_len / sizeof(*insns), root, calls);
}

/* The id of the program behind a descriptor of the loader; 0: there is none. */
static uint32_t held_program(const struct printk_users *users, const char *fd)
{
	char text[4096];
	const char *line;

	if (path__read(users->root, text, sizeof(text), "/proc/%d/fdinfo/%s", (int)users->loader, fd) <= 0)
		return 0;
	line = strstr(text, "\nprog_id:");
	return line ? (uint32_t)strtoul(line + strlen("\nprog_id:"), NULL, 10) : 0;
}

/* Appends the ids of the loader's programs. False: it has none any more. */
static bool list_held(const struct printk_users *users, struct buf *ids)
{
	_cleanup_closedir_ DIR *dir = path__opendir(users->root, "/proc/%d/fdinfo", (int)users->loader);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			buf__add_u32(ids, held_program(users, entry->d_name));
	return dir && ids->len;
}

static bool has_id(const struct buf *ids, uint32_t id)
{
	for (size_t at = 0; at < ids->len; at += sizeof(id))
		if (!memcmp(ids->data + at, &id, sizeof(id)))
			return true;
	return false;
}

/* Takes the loader's programs out of a list of ids. False: it has none any more. */
static bool drop_held(const struct printk_users *users, struct buf *ids)
{
	_cleanup_buf_ struct buf held = {0};
	bool are_held = list_held(users, &held);
	size_t kept = 0;
	uint32_t id;

	for (size_t at = 0; at < ids->len; at += sizeof(id)) {
		memcpy(&id, ids->data + at, sizeof(id));
		if (has_id(&held, id))
			continue;
		buf__put_at(ids, kept, &id, sizeof(id));
		kept += sizeof(id);
	}
	buf__truncate(ids, kept);
	return are_held;
}

static void pause_between_looks(void)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};

	nanosleep(&pause, NULL);
}

/*
 * Lists the programs that have come since and are not the loader's; false: it has none any more. It goes on loading
 * meanwhile, so what it holds is looked at behind the ids; and once more, as a program has an id some time before it has a
 * descriptor.
 */
static bool list_others(const struct printk_users *users, struct buf *ids)
{
	uint32_t id = users->last_id;
	bool are_held;

	while (!bpf_prog_get_next_id(id, &id))
		buf__add_u32(ids, id);
	are_held = drop_held(users, ids);
	if (!are_held || !ids->len)
		return are_held;
	pause_between_looks();
	return drop_held(users, ids);
}

static bool any_writes(const struct buf *ids, const char *root, struct calls *calls)
{
	uint32_t id;

	for (size_t at = 0; at < ids->len; at += sizeof(id)) {
		memcpy(&id, ids->data + at, sizeof(id));
		if (writes(id, root, calls))
			return true;
	}
	return buf__error(ids);
}

bool printk_users__are_there(const void *ctx)
{
	const struct printk_users *users = ctx;
	struct calls calls = {0};

	for (int ms = GONE_MS;; ms -= LOOK_MS) {
		_cleanup_buf_ struct buf others = {0};
		bool are_held = list_others(users, &others);

		if (!any_writes(&others, users->root, &calls))
			return false;
		if (are_held || ms <= 0)
			return true;
		pause_between_looks();
	}
}
