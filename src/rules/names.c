// SPDX-License-Identifier: GPL-2.0-only
#include "rules/names.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * EHWPOISON, the last one of include/uapi/asm-generic/errno.h, which all architectures that auxbpf knows use.
 */
#define LAST_ERRNO 133

/*
 * Names that the C library does not give: second names of errors, and the errors by which a system call that
 * a signal interrupted asks the kernel to restart it or make it EINTR (the kernel's include/linux/errno.h).
 * Programs never see the latter, but sys_exit does.
 */
static const struct name more_errnos[] = {
	{"EWOULDBLOCK", EWOULDBLOCK},	{"EDEADLOCK", EDEADLOCK}, {"ENOTSUP", ENOTSUP},
	{"ERESTARTSYS", 512},		{"ERESTARTNOINTR", 513},  {"ERESTARTNOHAND", 514},
	{"ERESTART_RESTARTBLOCK", 516},
};

static const struct name more_signals[] = {
	{"SIGIO", SIGIO},
	{"SIGIOT", SIGIOT},
	{"SIGCLD", SIGCLD},
};

/* By their numbers (include/linux/interrupt.h; the kernel's own names are in kernel/softirq.c). */
static const char *const softirqs[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
};

static int find_in(const struct name *table, size_t nr, const char *name, int64_t *ret)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(name, table[i].name)) {
			*ret = table[i].val;
			return 0;
		}
	}
	return -ENOENT;
}

static int find_errno(const char *name, int64_t *ret)
{
	for (int nr = 1; nr <= LAST_ERRNO; nr++) {
		const char *known = strerrorname_np(nr);

		if (known && !strcmp(name, known)) {
			*ret = nr;
			return 0;
		}
	}
	return find_in(more_errnos, ARRAY_SIZE(more_errnos), name, ret);
}

/* Real-time signals have no names here: the C library's SIGRTMIN is not the kernel's. */
static int find_signal(const char *name, int64_t *ret)
{
	for (int nr = 1; nr < __SIGRTMIN; nr++) {
		const char *known = sigabbrev_np(nr);

		if (known && !strncmp(name, "SIG", 3) && !strcmp(name + 3, known)) {
			*ret = nr;
			return 0;
		}
	}
	return find_in(more_signals, ARRAY_SIZE(more_signals), name, ret);
}

int names__find(const char *name, enum name_kind *kind, int64_t *ret)
{
	*kind = NAME_ERRNO;
	if (!find_errno(name, ret))
		return 0;
	*kind = NAME_SIGNAL;
	if (!find_signal(name, ret))
		return 0;
	*kind = NAME_FLAG;
	return find_in(names_flags, names_nr_flags, name, ret);
}

const char *names__errno(int64_t nr)
{
	if (nr > 0 && nr <= LAST_ERRNO)
		return strerrorname_np((int)nr);
	for (size_t i = 0; i < ARRAY_SIZE(more_errnos); i++)
		if (more_errnos[i].val == nr)
			return more_errnos[i].name;
	return NULL;
}

void names__signal(int nr, char *name, size_t size)
{
	if (nr >= __SIGRTMIN && nr < _NSIG)
		snprintf(name, size, "SIGRTMIN+%d", nr - __SIGRTMIN);
	else
		snprintf(name, size, "%s%s", sigabbrev_np(nr) ? "SIG" : "", sigabbrev_np(nr) ?: "");
}

void names__offer_signals(struct nearest *near, const char *wanted)
{
	char name[NEAREST_NAME_MAX];

	for (int nr = 1; nr < __SIGRTMIN; nr++) {
		if (!sigabbrev_np(nr))
			continue;
		snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(nr));
		nearest__offer(near, wanted, name);
	}
}

void names__offer(struct nearest *near, const char *wanted)
{
	for (int nr = 1; nr <= LAST_ERRNO; nr++) {
		if (strerrorname_np(nr))
			nearest__offer(near, wanted, strerrorname_np(nr));
	}
	names__offer_signals(near, wanted);
	for (size_t i = 0; i < names_nr_flags; i++)
		nearest__offer(near, wanted, names_flags[i].name);
}

int names__find_softirq(const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(softirqs); i++) {
		if (!strcasecmp(name, softirqs[i])) {
			*ret = i;
			return 0;
		}
	}
	return -ENOENT;
}

const char *names__softirq(uint64_t nr)
{
	return nr < ARRAY_SIZE(softirqs) ? softirqs[nr] : NULL;
}

void names__offer_softirqs(struct nearest *near, const char *wanted)
{
	char upper[NEAREST_NAME_MAX];
	size_t len = 0;

	for (; wanted[len] && len < sizeof(upper) - 1; len++)
		upper[len] = (char)toupper((unsigned char)wanted[len]);
	upper[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(softirqs); i++)
		nearest__offer(near, upper, softirqs[i]);
}
