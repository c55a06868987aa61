// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/tracefs.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/path.h"

#define PRINTK "bpf_trace/bpf_trace_printk"
#define PRINTK_WAIT_MS 200

/* Where tracefs is: its own mount point, or where debugfs shows it. */
static const char *tracefs_dir(const char *root)
{
	return path__exists(root, "/sys/kernel/tracing/events") ? "/sys/kernel/tracing"
								: "/sys/kernel/debug/tracing";
}

bool tracefs__is_mounted(const char *root)
{
	return path__exists(root, "%s/events", tracefs_dir(root));
}

int tracefs__tracepoint_id(const char *root, const char *tracepoint, uint64_t *ret)
{
	return path__read_u64(root, ret, "%s/events/%s/id", tracefs_dir(root), tracepoint);
}

static bool printk_is_on(const char *root)
{
	char text[16];

	return path__read(root, text, sizeof(text), "%s/events/" PRINTK "/enable", tracefs_dir(root)) > 0 &&
	       text[0] == '1';
}

void tracefs__save_printk(const char *root, struct tracefs_printk *saved)
{
	saved->root = root;
	saved->was_on = printk_is_on(root);
}

void tracefs__restore_printk(const struct tracefs_printk *saved)
{
	static const struct timespec ms = {.tv_nsec = 1000000};
	int err;

	if (saved->was_on)
		return;
	for (int i = 0; i < PRINTK_WAIT_MS && !printk_is_on(saved->root); i++)
		nanosleep(&ms, NULL);
	err = path__write(saved->root, "0", "%s/events/" PRINTK "/enable", tracefs_dir(saved->root));
	if (err)
		log_warn("cannot switch the ftrace event %s off again: %s", PRINTK, strerror(-err));
}
