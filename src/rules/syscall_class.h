/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classes of system calls, as strace(1) 6.1 of Debian 12 has them for `-e trace=%class`: which calls take a
 * file name, which a descriptor, and so on. They hold the names of all architectures that auxbpf knows.
 */
#ifndef AUXBPF_RULES_SYSCALL_CLASS_H
#define AUXBPF_RULES_SYSCALL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/nearest.h"

struct syscall_class;

/* The class of that name (without the first %, so "%stat" is strace's %%stat), or NULL. */
const struct syscall_class *syscall_class__find(const char *name) _nonnull_(1);

/* All classes by their index, in alphabetical order; NULL behind the last. */
const struct syscall_class *syscall_class__at(size_t index);

/* Its name, without the first %. */
const char *syscall_class__name(const struct syscall_class *class) _nonnull_(1);

/* Whether the system call @syscall is in the class. */
bool syscall_class__has(const struct syscall_class *class, const char *syscall) _nonnull_(1, 2);

/* The names in the class, in alphabetical order with a blank between two. */
const char *syscall_class__names(const struct syscall_class *class) _nonnull_(1);

/* Offers the names of all classes, "%file" and so on, for a wrong one. */
void syscall_class__offer(struct nearest *near, const char *wanted) _nonnull_(1, 2);

#endif
