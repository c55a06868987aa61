// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose BPF programs write to bpf_trace_printk, while the loader of ours goes on loading. The kernel is the test's own, in
 * place of the functions that ask it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/inotify.h>
#include <time.h>

#include "check.h"
#include "gate/printk_users.h"
#include "root_dir.h"

#define NR_IDS 8
#define OLD 1 /* a program that was there before */
#define LOADER 77
#define PRINTK 0x20
#define OTHER_HELPER 0x30

static struct root_dir root;

static struct program {
	bool is_loaded;
	int32_t helper; /* which the code calls; 0: it calls none */
	bool is_hidden; /* the kernel does not show the code */
} programs[NR_IDS];

/* What happens next: before, or behind, a listing of all ids, or at a pause. */
static void (*before_ids)(void), (*behind_ids)(void), (*at_pause)(void);
static unsigned int nr_pauses;

static uint32_t asked_for; /* the program behind the descriptor that was given last */

static void call_once(void (**next)(void))
{
	void (*f)(void) = *next;

	*next = NULL;
	if (f)
		f();
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	nr_pauses++;
	call_once(&at_pause);
	return 0;
}

int bpf_prog_get_next_id(__u32 start_id, __u32 *next_id)
{
	if (start_id == OLD)
		call_once(&before_ids);
	for (*next_id = start_id + 1; *next_id < NR_IDS; ++*next_id)
		if (programs[*next_id].is_loaded)
			return 0;
	call_once(&behind_ids);
	return -ENOENT;
}

int bpf_prog_get_fd_by_id(__u32 id)
{
	asked_for = id;
	if (programs[id].is_loaded)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = ENOENT;
	return -ENOENT;
}

int bpf_obj_get_info_by_fd(int fd, void *data, __u32 *len)
{
	const struct bpf_insn code[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = programs[asked_for].helper},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const struct bpf_insn *begin = programs[asked_for].helper ? code : code + 1;
	struct bpf_prog_info *info = data;
	size_t size = (size_t)((const char *)(code + 2) - (const char *)begin);

	if (programs[asked_for].is_hidden)
		info->xlated_prog_insns = 0;
	else if (info->xlated_prog_len >= size)
		memcpy((void *)(uintptr_t)info->xlated_prog_insns, begin, size);
	info->xlated_prog_len = (uint32_t)size;
	return 0;
}

/* The loader has this program behind the descriptor of the same number. */
static void hold(uint32_t id)
{
	char name[64], text[64];

	snprintf(name, sizeof(name), "/proc/%d/fdinfo/%u", LOADER, id);
	snprintf(text, sizeof(text), "pos:\t0\nprog_type:\t5\nprog_id:\t%u\n", id);
	CHECK(root_dir__put(&root, name, text));
}

static void load(uint32_t id, int32_t helper)
{
	programs[id] = (struct program){.is_loaded = true, .helper = helper};
}

/* Begins with a loader that holds one program, which writes. */
static struct printk_users begin(void)
{
	struct printk_users users = {.root = root.path, .loader = LOADER};

	memset(programs, 0, sizeof(programs));
	load(OLD, PRINTK);
	printk_users__begin(&users);
	CHECK_EQ(users.last_id, OLD);
	load(2, PRINTK);
	hold(2);
	return users;
}

/* Whether the kernel's symbols have been opened since this was asked last. */
static bool symbols_were_read(int watch)
{
	char text[4096];

	return read(watch, text, sizeof(text)) > 0;
}

static void test_nobody(void)
{
	const struct printk_users users = begin();

	CHECK(!printk_users__are_there(&users));
}

/* It may write, for all that is known. */
static void test_hidden(void)
{
	const struct printk_users users = begin();

	load(3, 0);
	programs[3].is_hidden = true;
	CHECK(printk_users__are_there(&users));
}

static void test_others(int watch)
{
	const struct printk_users users = begin();

	load(3, OTHER_HELPER);
	CHECK(!printk_users__are_there(&users));
	CHECK(symbols_were_read(watch));
	load(4, PRINTK);
	CHECK(printk_users__are_there(&users));
	programs[4].helper = PRINTK + 4;
	CHECK(printk_users__are_there(&users));
	programs[4].is_loaded = false;
	CHECK(!printk_users__are_there(&users));
	CHECK(symbols_were_read(watch));
}

static void load_and_hold(void)
{
	load(5, PRINTK);
	hold(5);
}

static void hold_late(void)
{
	hold(6);
}

/* The kernel numbers a program before it gives a descriptor of it. */
static void load_slowly(void)
{
	load(6, PRINTK);
	at_pause = hold_late;
}

static void unload(void)
{
	programs[7].is_loaded = false;
}

static void load_for_a_moment(void)
{
	load(7, PRINTK);
	behind_ids = unload;
}

/* Its programs are its own whenever they come, and cost no look at the kernel's symbols, for which it would have to wait. */
static void test_loader_goes_on(int watch)
{
	static void (*const ways[])(void) = {load_and_hold, load_slowly, load_for_a_moment};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const struct printk_users users = begin();

		before_ids = ways[i];
		CHECK(!printk_users__are_there(&users));
		CHECK(!symbols_were_read(watch));
	}
}

static void remove_loader(void)
{
	char path[128];

	for (uint32_t id = 0; id < NR_IDS; id++) {
		snprintf(path, sizeof(path), "%s/proc/%d/fdinfo/%u", root.path, LOADER, id);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/proc/%d/fdinfo", root.path, LOADER);
	rmdir(path);
}

static void unload_all(void)
{
	memset(programs, 0, sizeof(programs));
}

/* Its programs go a while after it. One that stays was not its own. */
static void test_loader_has_ended(void)
{
	const struct printk_users users = begin();

	remove_loader();
	at_pause = unload_all;
	CHECK(!printk_users__are_there(&users));
	load(3, PRINTK);
	nr_pauses = 0;
	CHECK(printk_users__are_there(&users));
	CHECK(nr_pauses >= 10);
}

int main(void)
{
	static const char symbols[] = "0000000000001000 T __bpf_call_base\n"
				      "0000000000001020 T bpf_trace_printk\n"
				      "0000000000001024 T bpf_trace_vprintk\n";
	char path[PATH_MAX];
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (!root_dir__make(&root) || !root_dir__put(&root, "/proc/kallsyms", symbols))
		return 1;
	snprintf(path, sizeof(path), "%s/proc/kallsyms", root.path);
	CHECK(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	test_nobody();
	test_hidden();
	test_others(watch);
	test_loader_goes_on(watch);
	test_loader_has_ended();
	close(watch);
	root_dir__remove(&root);
	return check__done();
}
