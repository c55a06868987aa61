/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of constants that rules use: errors (ENOENT), signals (SIGTERM), soft interrupts (NET_RX) and the
 * flags of system calls' arguments (O_CREAT, AT_FDCWD, PROT_EXEC). Their values are those of this machine.
 */
#ifndef AUXBPF_RULES_NAMES_H
#define AUXBPF_RULES_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/nearest.h"

enum name_kind {
	NAME_ERRNO,
	NAME_SIGNAL,
	NAME_FLAG,
};

struct name {
	const char *name;
	int64_t val;
};

/* Finds a name. Returns -ENOENT if there is no such constant, or auxbpf does not know it. */
int names__find(const char *name, enum name_kind *kind, int64_t *ret) _must_check_ _nonnull_(1, 2, 3);

/* Returns the name of an error, "ENOENT"; NULL if it has none. */
const char *names__errno(int64_t nr);

/* Writes the name of a signal, "SIGSEGV" or "SIGRTMIN+3", as the kernel counts them; "" if it has none. */
void names__signal(int nr, char *name, size_t size) _nonnull_(2);

/* Offers all names in place of a wrong one. */
void names__offer(struct nearest *near, const char *wanted) _nonnull_(1, 2);

/* Offers the names of signals in place of a wrong one. */
void names__offer_signals(struct nearest *near, const char *wanted) _nonnull_(1, 2);

/*
 * Finds the number of a soft interrupt by its name in /proc/softirqs, in upper or lower case. -ENOENT if there
 * is none.
 */
int names__find_softirq(const char *name, uint64_t *ret) _must_check_ _nonnull_(1, 2);

/* Returns the name of a soft interrupt; NULL if it has none. */
const char *names__softirq(uint64_t nr);

/* Offers the names of soft interrupts in place of a wrong one. */
void names__offer_softirqs(struct nearest *near, const char *wanted) _nonnull_(1, 2);

/* The flags, in names_flags.c. */
extern const struct name names_flags[];
extern const size_t names_nr_flags;

#endif
