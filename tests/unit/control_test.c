// SPDX-License-Identifier: GPL-2.0-only
/* The ways to move the gate: their names, and what is said where a way cannot be had, on made-up machines. */
#include <bpf/btf.h>
#include <errno.h>

#include "check.h"
#include "gate/control.h"
#include "root_dir.h"

#define KFUNC "bpf_perf_event_aux_pause"

static char reason[CONTROL_REASON_SIZE];

static void test_names(void)
{
	static const char *const names[] = {"kfunc", "tracepoint", "breakpoint", "ioctl"};
	enum auxbpf_control way;

	for (unsigned int i = 0; i < AUXBPF_CONTROL_NR; i++) {
		CHECK_STREQ(control__name((enum auxbpf_control)i), names[i]);
		CHECK_EQ(control__parse(names[i], &way), 0);
		CHECK_EQ(way, i);
		CHECK_EQ(control__pauses_event(way), way != AUXBPF_CONTROL_IOCTL);
	}
	CHECK_EQ(control__parse("", &way), -EINVAL);
	CHECK_EQ(control__parse("ioct", &way), -EINVAL);
	CHECK_EQ(control__parse("ioctls", &way), -EINVAL);
	CHECK_STREQ(control__names(), "kfunc, tracepoint, breakpoint, ioctl");
	CHECK_STREQ(control__names(), "kfunc, tracepoint, breakpoint, ioctl");
}

static bool put_btf(const struct root_dir *root, const char *function)
{
	struct btf *btf = btf__new_empty();
	const void *data;
	unsigned int size;
	bool ok = btf && btf__add_func_proto(btf, 0) == 1 &&
		  btf__add_func(btf, function, BTF_FUNC_GLOBAL, 1) == 2 &&
		  (data = btf__raw_data(btf, &size)) != NULL &&
		  root_dir__put_bytes(root, "/sys/kernel/btf/vmlinux", data, size);

	btf__free(btf);
	return ok;
}

static int probe(const struct root_dir *root, enum auxbpf_control way)
{
	static const int cpu0;

	*reason = '\0';
	return control__probe(root->path, way, NULL, &cpu0, 1, reason);
}

static void test_kfunc(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK(probe(&root, AUXBPF_CONTROL_KFUNC) < 0);
	CHECK(strstr(reason, "no BTF"));
	CHECK(put_btf(&root, "bpf_perf_event_aux_pauses"));
	CHECK_EQ(probe(&root, AUXBPF_CONTROL_KFUNC), -ENOENT);
	CHECK_STREQ(reason, "this kernel has no bpf_perf_event_aux_pause()");
	CHECK(put_btf(&root, KFUNC));
	CHECK_EQ(probe(&root, AUXBPF_CONTROL_KFUNC), 0);
	CHECK(root_dir__put(&root, "/sys/kernel/btf/vmlinux", "no BTF at all"));
	CHECK(probe(&root, AUXBPF_CONTROL_KFUNC) < 0);
	root_dir__remove(&root);
}

static void test_tracepoint(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK_EQ(probe(&root, AUXBPF_CONTROL_TRACEPOINT), -ENOENT);
	CHECK(strstr(reason, "mount -t tracefs tracefs /sys/kernel/tracing"));
	CHECK(root_dir__put(&root, "/sys/kernel/debug/tracing/events/enable", "0\n"));
	CHECK_EQ(probe(&root, AUXBPF_CONTROL_TRACEPOINT), -ENOENT);
	CHECK_STREQ(reason, "this kernel has no tracepoint bpf_trace:bpf_trace_printk");
	/* A number that no tracepoint has. */
	CHECK(root_dir__put(&root, "/sys/kernel/debug/tracing/events/bpf_trace/bpf_trace_printk/id",
			    "999999999\n"));
	CHECK(probe(&root, AUXBPF_CONTROL_TRACEPOINT) < 0);
	CHECK(*reason);
	root_dir__remove(&root);
}

static void test_ways_without_siblings(void)
{
	struct control_opts opts = {.root = "", .way = AUXBPF_CONTROL_KFUNC};
	int fds[2] = {7, 7};

	CHECK_EQ(control__open_siblings(&opts, 0, -1, fds), 0);
	CHECK(fds[0] == -1 && fds[1] == -1);
	opts.way = AUXBPF_CONTROL_IOCTL;
	CHECK_EQ(control__open_siblings(&opts, 0, -1, fds), 0);
	CHECK(fds[0] == -1 && fds[1] == -1);
}

/* An address that is not aligned, and one tracepoint that there is not: nothing stays open. */
static void test_siblings_that_fail(void)
{
	struct control_opts opts = {
		.root = "/nowhere",
		.way = AUXBPF_CONTROL_TRACEPOINT,
		.open_string = "a",
		.close_string = "b",
		.open_address = 0xfffffffffffff000ull,
		.close_address = 0xfffffffffffff001ull,
	};
	int fds[2] = {7, 7}, next = dup(0);

	close(next);
	CHECK_EQ(control__open_siblings(&opts, 0, -1, fds), -ENOENT);
	CHECK(fds[0] == -1 && fds[1] == -1);
	opts.way = AUXBPF_CONTROL_BREAKPOINT;
	CHECK(control__open_siblings(&opts, 0, -1, fds) < 0);
	CHECK(fds[0] == -1 && fds[1] == -1);
	CHECK_EQ(dup(0), next);
	close(next);
}

int main(void)
{
	test_names();
	test_kfunc();
	test_tracepoint();
	test_ways_without_siblings();
	test_siblings_that_fail();
	return check__done();
}
